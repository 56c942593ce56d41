-- The events of an organization after one, as a JSON array: how many were found, and up to which event it was looked.
WITH looked AS (
    SELECT id, type, card_id, project_id, about
    FROM events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :scan_limit
),
found AS (
    SELECT id
    FROM looked
    WHERE
        (:type IS NULL OR :type IN (type, '*', substr(type, 1, instr(type, '.')) || '*'))
        AND (:card_id IS NULL OR :card_id IN (card_id, about ->> '$.fromCardId'))
        AND (:project_id IS NULL OR :project_id IN (
            project_id,
            (SELECT c.project_id FROM cards AS c WHERE c.id = about ->> '$.fromCardId')
        ))
    ORDER BY id
    LIMIT :limit
)
SELECT
    (SELECT count(*) FROM found) AS count,
    (SELECT max(id) FROM found) AS last_id,
    (SELECT count(*) FROM looked) AS looked,
    (SELECT max(id) FROM looked) AS looked_id,
    (
        SELECT '[' || coalesce(group_concat(text, ','), '') || ']'
        FROM (SELECT e.text FROM found AS f JOIN encoded_events AS e ON e.id = f.id ORDER BY f.id)
    ) AS items
