-- Agents of the columns that named a prompt have none from now on.
UPDATE columns
SET prompt_id = NULL
WHERE prompt_id = :prompt_id
