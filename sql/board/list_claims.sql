-- The live claims on cards of a project.
SELECT
    k.card_id,
    p.key || '-' || c.number AS card_key,
    k.agent_id,
    k.claimed_at,
    k.renewed_at,
    k.expires_at
FROM claims AS k
JOIN cards AS c ON c.id = k.card_id
JOIN projects AS p ON p.id = c.project_id
WHERE k.org_id = :org_id AND k.expires_at > :now AND c.project_id = :project_id AND c.archived_at IS NULL
ORDER BY k.claimed_at, k.card_id
