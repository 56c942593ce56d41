-- File the changes that have waited longest.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
)
SELECT
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
FROM new_history
WHERE number <= :last
ORDER BY card_id, number
