-- The live claims of an agent with their cards, oldest first.
SELECT
    k.card_id,
    c.key AS card_key,
    c.title,
    c.project_id,
    c.column_id,
    k.agent_id,
    k.token,
    k.claimed_at,
    k.renewed_at,
    k.expires_at,
    k.prompt_version_id,
    k.session
FROM claims AS k
JOIN keyed_cards AS c ON c.id = k.card_id
WHERE k.org_id = :org_id AND k.agent_id = :agent_id AND k.expires_at > :now
ORDER BY k.claimed_at, k.card_id
