-- Create a relationship between two cards.
INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, comment, created_at)
VALUES (:id, :org_id, :from_card_id, :to_card_id, :kind, :comment, :now)
