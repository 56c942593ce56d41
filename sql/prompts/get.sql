-- One prompt of an organization.
SELECT id, name, category_id, current_version_id, created_at, updated_at
FROM prompts
WHERE id = :prompt_id AND org_id = :org_id AND archived_at IS NULL
