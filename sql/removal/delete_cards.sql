-- Remove some cards for good, with all that hangs on them.
DELETE FROM cards
WHERE id IN (SELECT value FROM json_each(:card_ids))
