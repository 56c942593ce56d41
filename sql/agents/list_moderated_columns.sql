-- The active columns of an organization in which agents may change cards.
SELECT id
FROM columns
WHERE org_id = :org_id AND archived_at IS NULL AND agent_pickup_enabled = 1 AND agent_can_moderate = 1
ORDER BY project_id, position, id
