-- The versions of the prompts of an organization for a snapshot.
SELECT
    json_object(
        'id', v.id,
        'promptId', v.prompt_id,
        'label', v.label,
        'body', v.body,
        'active', json(iif(v.active, 'true', 'false')),
        'createdAt', v.created_at
    ) AS row
FROM prompts AS p
CROSS JOIN prompt_versions AS v ON v.prompt_id = p.id
WHERE p.org_id = :org_id
ORDER BY p.id, v.created_at, v.id
