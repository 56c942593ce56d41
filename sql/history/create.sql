-- Create a history row of a card. A change of column also records both columns and the time.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    column_change, from_column_id, to_column_id, column_changed_ms
)
VALUES (
    :id, :org_id, :card_id, :actor_type, :actor_id, :actor_label, :action, :changes, :now,
    :column_change, :from_column_id, :to_column_id,
    CASE WHEN :column_change IS NOT NULL THEN CAST(round((julianday(:now) - 2440587.5) * 86400000) AS INTEGER) END
)
