-- Keep a former number of a card of a snapshot, unless another card has or had it.
INSERT INTO former_card_keys (project_id, number, card_id)
SELECT :project_id, :number, :card_id
WHERE NOT EXISTS (SELECT 1 FROM cards AS c WHERE c.project_id = :project_id AND c.number = :number)
ON CONFLICT (project_id, number) DO NOTHING
