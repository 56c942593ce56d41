-- The files of a card, newest first.
SELECT
    f.id,
    field.name AS field,
    f.name,
    f.size_bytes
FROM files AS f
JOIN fields AS field ON field.id = f.field_id
WHERE f.card_id = :card_id
ORDER BY f.uploaded_at DESC, f.id DESC
LIMIT :limit
