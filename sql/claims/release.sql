-- Release the claim on a card.
DELETE FROM claims
WHERE card_id = :card_id
