-- Update the name and category of a prompt.
UPDATE prompts
SET name = :name, category_id = :category_id, updated_at = :now
WHERE id = :prompt_id
