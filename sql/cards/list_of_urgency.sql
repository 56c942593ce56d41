-- A page of the active cards of one priority (none but that) in the order of ranks.
SELECT id
FROM cards
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND urgency < 4
    -- So, and sorted by urgency too: else the planner would sort what the index has in order.
    AND urgency BETWEEN :urgency AND :urgency
ORDER BY urgency, rank_key, id
LIMIT :limit OFFSET :offset
