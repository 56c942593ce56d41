-- Delete a prompt category. Its prompts stay without a category.
DELETE FROM prompt_categories
WHERE id = :category_id
