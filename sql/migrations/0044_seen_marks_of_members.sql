-- A member's catch-up begins at the moment of joining, so each membership gets a position when it is created. Members
-- without a position get the one that they have been shown so far: a week before the organization's newest event, or
-- the moment of joining if that is later.
BEGIN;

CREATE TRIGGER set_seen_mark_on_member_insert AFTER INSERT ON memberships
BEGIN
    INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)
    SELECT NEW.org_id, 'User', NEW.user_id, '', coalesce(max(e.id), 0)
    FROM events AS e
    WHERE e.org_id = NEW.org_id
    ON CONFLICT (org_id, reader_type, reader_id, card_id) DO UPDATE SET event_id = excluded.event_id
    WHERE excluded.event_id > seen.event_id;
END;

CREATE TEMP TABLE seen_week AS
SELECT
    o.id AS org_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', newest.created_at, '-7 days') AS began_at,
    coalesce(
        (
            SELECT e.id
            FROM events AS e
            WHERE
                e.org_id = o.id
                AND e.created_at < strftime('%Y-%m-%dT%H:%M:%fZ', newest.created_at, '-7 days')
            ORDER BY e.id DESC
            LIMIT 1
        ),
        0
    ) AS event_id
FROM organizations AS o
JOIN events AS newest ON newest.id = (SELECT max(e.id) FROM events AS e WHERE e.org_id = o.id);

INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)
SELECT
    m.org_id,
    'User',
    m.user_id,
    '',
    CASE
        WHEN m.created_at <= w.began_at THEN w.event_id
        ELSE coalesce(
                (
                    SELECT e.id
                    FROM events AS e
                    WHERE e.org_id = m.org_id AND e.created_at < m.created_at
                    ORDER BY e.id DESC
                    LIMIT 1
                ),
                0
            )
    END
FROM memberships AS m
JOIN seen_week AS w ON w.org_id = m.org_id
WHERE
    NOT EXISTS (
        SELECT 1
        FROM seen AS s
        WHERE s.org_id = m.org_id AND s.reader_type = 'User' AND s.reader_id = m.user_id AND s.card_id = ''
    );

DROP TABLE seen_week;

PRAGMA user_version = 44;
COMMIT;
