-- Keep the number that a card has had on a board, which goes on naming it.
INSERT INTO former_card_keys (project_id, number, card_id)
VALUES (:project_id, :number, :card_id)
