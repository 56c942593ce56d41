-- The kinds of changes that people and agents have made since a time, with the ids that tell what was changed.
SELECT DISTINCT
    type,
    project_id,
    about ->> '$.columnId' AS column_id,
    about ->> '$.agentId' AS agent_id
FROM events
WHERE org_id = :org_id
    AND created_at > :since
    AND actor_type <> 'System'
    AND type NOT GLOB 'card.*'
    AND type NOT GLOB 'comment.*'
    AND type NOT GLOB 'question.*'
