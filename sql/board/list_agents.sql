-- The agents of an organization as boards show them, oldest first.
SELECT id, title, status, online_until > :now AS is_online, last_seen_at, llm_version, stop_reason
FROM agents
WHERE org_id = :org_id
ORDER BY created_at, id
