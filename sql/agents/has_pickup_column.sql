-- Whether agents may pick up cards in some active column of an organization.
SELECT EXISTS (
    SELECT 1 FROM columns WHERE org_id = :org_id AND archived_at IS NULL AND agent_pickup_enabled = 1
)
