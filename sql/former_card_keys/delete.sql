-- Delete a former number of a card, because the card has it again.
DELETE FROM former_card_keys
WHERE project_id = :project_id AND number = :number
