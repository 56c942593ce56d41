-- One change of a card, written down where nothing is sorted; it is filed among the others of its card a little later.
INSERT INTO new_history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    passage, from_column_id, to_column_id, moment
)
VALUES (
    :id, :org_id, :card_id, :actor_type, :actor_id, :actor_label, :action, :changes, :now,
    :passage, :from_column_id, :to_column_id,
    CASE WHEN :passage IS NOT NULL THEN CAST(round((julianday(:now) - 2440587.5) * 86400000) AS INTEGER) END
)
