-- One change of a card: who, what, from what to what.
INSERT INTO history (id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at)
VALUES (:id, :org_id, :card_id, :actor_type, :actor_id, :actor_label, :action, :changes, :now)
