-- The events of an organization after an event as a JSON array, with how many match and how far they were scanned.
WITH scanned AS (
    SELECT id, type, card_id, project_id, about
    FROM events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :scan_limit
),
matched AS (
    SELECT id
    FROM scanned
    WHERE
        (:type IS NULL OR :type IN (type, '*', substr(type, 1, instr(type, '.')) || '*'))
        AND (:card_id IS NULL OR :card_id IN (card_id, about ->> '$.fromCardId'))
        AND (:project_id IS NULL OR :project_id IN (
            project_id,
            about ->> '$.fromProjectId',
            (SELECT c.project_id FROM cards AS c WHERE c.id = about ->> '$.fromCardId')
        ))
    ORDER BY id
    LIMIT :limit
)
SELECT
    (SELECT count(*) FROM matched) AS count,
    (SELECT max(id) FROM matched) AS last_id,
    (SELECT count(*) FROM scanned) AS scanned_count,
    (SELECT max(id) FROM scanned) AS last_scanned_id,
    (
        SELECT '[' || coalesce(group_concat(text, ','), '') || ']'
        FROM (SELECT e.text FROM matched AS m JOIN encoded_events AS e ON e.id = m.id ORDER BY m.id)
    ) AS items
