-- Remove a prompt category; its prompts stay, without one.
DELETE FROM prompt_categories
WHERE id = :category_id
