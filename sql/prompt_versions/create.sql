-- Create a version of a prompt.
INSERT INTO prompt_versions (id, prompt_id, label, body, active, created_at)
VALUES (:id, :prompt_id, :label, :body, :active, :now)
