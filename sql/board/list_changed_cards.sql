-- The cards of a project that something happened to after an event, or to one related to them, and all that are gone.
WITH happened AS MATERIALIZED (
    SELECT card_id, about ->> '$.fromCardId' AS from_card_id
    FROM events
    WHERE org_id = :org_id AND id > :since AND id <= :at AND card_id IS NOT NULL
),

touched AS (
    SELECT card_id AS id
    FROM happened
    UNION
    SELECT from_card_id AS id
    FROM happened
    WHERE from_card_id IS NOT NULL
),

concerned AS (
    SELECT id
    FROM touched
    UNION
    -- Blocked or not, with so many parts done: that changes without an event of its own.
    SELECT r.to_card_id AS id
    FROM touched AS t
    JOIN relationships AS r ON r.from_card_id = t.id
    UNION
    SELECT r.from_card_id AS id
    FROM touched AS t
    JOIN relationships AS r ON r.to_card_id = t.id
)

SELECT n.id
FROM concerned AS n
LEFT JOIN cards AS c ON c.id = n.id
WHERE c.id IS NULL OR c.project_id = :project_id
LIMIT :limit
