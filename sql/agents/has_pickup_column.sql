-- Whether an organization has an active column in which agents may pick up cards.
SELECT EXISTS (
    SELECT 1 FROM columns WHERE org_id = :org_id AND archived_at IS NULL AND agent_pickup_enabled = 1
)
