-- The agents of an organization with their claims, assigned cards, move requests and denied requests, oldest first.
SELECT
    a.id,
    a.title,
    a.team_id,
    a.status,
    a.online_until > :now AS is_online,
    a.last_seen_at,
    a.machine_name,
    a.machine_ip,
    a.llm_version,
    a.email,
    a.os_name,
    a.os_version,
    a.ram_bytes,
    a.storage_bytes,
    a.storage_type,
    a.created_at,
    a.stop_reason,
    a.stopped_at,
    t.name AS team_name,
    (
        SELECT
            json_group_array(
                json_object(
                    'cardId', k.card_id,
                    'cardKey', p.key || '-' || c.number,
                    'title', c.title,
                    'projectId', c.project_id,
                    'columnId', c.column_id,
                    'column', col.title,
                    'claimedAt', k.claimed_at,
                    'renewedAt', k.renewed_at,
                    'expiresAt', k.expires_at
                )
            )
        FROM claims AS k
        JOIN cards AS c ON c.id = k.card_id
        JOIN columns AS col ON col.id = c.column_id
        JOIN projects AS p ON p.id = c.project_id
        WHERE k.org_id = :org_id AND k.agent_id = a.id AND k.expires_at > :now AND c.archived_at IS NULL
    ) AS claims,
    (
        SELECT count(*)
        FROM cards AS c
        JOIN columns AS col ON col.id = c.column_id
        WHERE
            c.org_id = :org_id
            AND c.assigned_agent_id = a.id
            AND c.archived_at IS NULL
            AND col.column_type <> 'done'
    ) AS assigned,
    (
        SELECT count(*)
        FROM move_requests AS r
        WHERE
            r.org_id = :org_id
            AND r.state = 'open'
            AND r.requested_by ->> '$.type' = 'Agent'
            AND r.requested_by ->> '$.id' = a.id
    ) AS open_requests,
    (
        SELECT coalesce(sum(f.count), 0)
        FROM refusals AS f
        WHERE f.org_id = :org_id AND f.agent_id = a.id AND f.last_at >= :refused_since
    ) AS refusals24h
FROM agents AS a
LEFT JOIN teams AS t ON t.id = a.team_id
WHERE
    a.org_id = :org_id
    AND (:team_id IS NULL OR a.team_id = :team_id)
    AND (:status IS NULL OR a.status = :status)
ORDER BY a.created_at, a.id
