-- Write a history row of a snapshot; one that is there stays as it is.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at
)
VALUES (
    :id, :org_id, :card_id, :actor_type, :actor_id, :actor_label, :action, :changes, :created_at
)
ON CONFLICT (id) DO NOTHING
