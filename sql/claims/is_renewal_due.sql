-- Whether the live claims of a session are to be renewed: once a minute, short leases at each third of their length.
SELECT
    EXISTS (
        SELECT 1
        FROM claims
        WHERE
            org_id = :org_id
            AND agent_id = :agent_id
            AND session = :session
            AND expires_at > :now
            AND renewed_at <= strftime('%Y-%m-%dT%H:%M:%fZ', :now, '-' || min(60, lease_seconds / 3) || ' seconds')
    )
