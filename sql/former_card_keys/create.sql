-- Keep the number that a card has had on a board, so that its former key still names it.
INSERT INTO former_card_keys (project_id, number, card_id)
VALUES (:project_id, :number, :card_id)
