-- End the watching of a card by a person.
DELETE FROM card_watchers
WHERE card_id = :card_id AND user_id = :user_id
