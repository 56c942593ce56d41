-- Clear the prompt of the columns that use it.
UPDATE columns
SET prompt_id = NULL
WHERE prompt_id = :prompt_id
