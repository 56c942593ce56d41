-- Set how many rows a large card has in the index, and which of them is the last with comments.
UPDATE search_cards
SET parts = :parts, comments_part = :comments_part
WHERE number = :number
