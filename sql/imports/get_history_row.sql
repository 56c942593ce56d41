-- The history row with an id, of any organization.
SELECT
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, imported, created_at
FROM history
WHERE id = :id
