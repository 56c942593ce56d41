-- Update the name and color of a prompt category.
UPDATE prompt_categories
SET name = :name, color = :color
WHERE id = :category_id
