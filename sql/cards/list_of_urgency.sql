-- A page of the active cards of one priority other than "none", in rank order.
SELECT id
FROM cards
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND urgency < 4
    -- BETWEEN, and urgency in ORDER BY, let the planner use the order of the index instead of a sort.
    AND urgency BETWEEN :urgency AND :urgency
ORDER BY urgency, rank_key, id
LIMIT :limit OFFSET :offset
