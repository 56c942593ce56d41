-- Mark a card type as deleted. Its row stays because archived cards may refer to it.
UPDATE card_types
SET archived_at = :now
WHERE id = :card_type_id
