-- The columns of a series with their current number of cards.
SELECT id, card_count
FROM columns
WHERE org_id = :org_id AND archived_at IS NULL AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY project_id, position, id
