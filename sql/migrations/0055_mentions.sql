-- Whom comments and rich texts mention, as a JSON list of [type, id]; null: nobody. Texts from before mention nobody.
BEGIN;

ALTER TABLE comments ADD COLUMN mentions TEXT;

ALTER TABLE field_values ADD COLUMN mentions TEXT;

-- The label is null for those who are no longer in the organization.
CREATE VIEW comment_mentions AS
SELECT
    c.id AS comment_id,
    n.value ->> 0 AS type,
    n.value ->> 1 AS id,
    CASE n.value ->> 0
        WHEN 'User' THEN (
                SELECT u.full_name
                FROM memberships AS m
                JOIN users AS u ON u.id = m.user_id
                WHERE m.org_id = c.org_id AND m.user_id = n.value ->> 1
            )
        ELSE (SELECT a.title FROM agents AS a WHERE a.org_id = c.org_id AND a.id = n.value ->> 1)
    END AS label
FROM comments AS c
CROSS JOIN json_each(c.mentions) AS n;

CREATE VIEW card_mentions AS
SELECT
    v.card_id,
    n.value ->> 0 AS type,
    n.value ->> 1 AS id,
    CASE n.value ->> 0
        WHEN 'User' THEN (
                SELECT u.full_name
                FROM memberships AS m
                JOIN users AS u ON u.id = m.user_id
                WHERE m.org_id = c.org_id AND m.user_id = n.value ->> 1
            )
        ELSE (SELECT a.title FROM agents AS a WHERE a.org_id = c.org_id AND a.id = n.value ->> 1)
    END AS label
FROM field_values AS v
JOIN cards AS c ON c.id = v.card_id
CROSS JOIN json_each(v.mentions) AS n;

PRAGMA user_version = 55;
COMMIT;
