-- Whether a request of an agent is to be recorded: once a minute, and at once if an approved agent is offline.
SELECT EXISTS (
    SELECT 1
    FROM agents
    WHERE
        org_id = :org_id
        AND id = :agent_id
        AND (
            coalesce(last_seen_at, '') NOT BETWEEN :recently AND :now
            OR (status = 'approved' AND online_until <= :now)
        )
)
