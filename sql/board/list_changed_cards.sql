-- Cards of a project that changed in a range of events, cards related to them, and cards that are no longer there.
WITH new_events AS MATERIALIZED (
    SELECT
        card_id,
        about ->> '$.fromCardId' AS from_card_id,
        about ->> '$.fromProjectId' AS from_project_id
    FROM events
    WHERE org_id = :org_id AND id > :since AND id <= :at AND card_id IS NOT NULL
),

changed AS (
    SELECT card_id AS id
    FROM new_events
    UNION
    SELECT from_card_id AS id
    FROM new_events
    WHERE from_card_id IS NOT NULL
),

affected AS (
    SELECT id
    FROM changed
    UNION
    -- Whether a card is blocked and how many of its parts are done changes without an event of its own.
    SELECT r.to_card_id AS id
    FROM changed AS t
    JOIN relationships AS r ON r.from_card_id = t.id
    UNION
    SELECT r.from_card_id AS id
    FROM changed AS t
    JOIN relationships AS r ON r.to_card_id = t.id
)

SELECT n.id
FROM affected AS n
LEFT JOIN cards AS c ON c.id = n.id
WHERE
    c.id IS NULL
    OR c.project_id = :project_id
    OR n.id IN (SELECT card_id FROM new_events WHERE from_project_id = :project_id)
LIMIT :limit
