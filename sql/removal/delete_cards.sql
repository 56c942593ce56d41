-- Delete the given cards permanently with everything that belongs to them.
DELETE FROM cards
WHERE id IN (SELECT value FROM json_each(:card_ids))
