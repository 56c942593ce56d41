-- Update a card type.
UPDATE card_types
SET title = :title, color = :color, comments_enabled = :comments_enabled, files_enabled = :files_enabled
WHERE id = :card_type_id
