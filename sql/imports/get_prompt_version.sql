-- The prompt version with an id, of any organization.
SELECT v.id, p.org_id, v.prompt_id, v.label, v.body, v.active, v.created_at
FROM prompt_versions AS v
JOIN prompts AS p ON p.id = v.prompt_id
WHERE v.id = :id
