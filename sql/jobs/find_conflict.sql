-- A job on a resource of a request, or on a resource that contains it.
SELECT resource_type, state
FROM jobs
WHERE
    org_id = :org_id
    AND (
        resource_type = 'organization'
        OR (resource_type = 'column' AND resource_id = :column_id)
        OR (resource_type = 'field' AND resource_id = :field_id)
        OR (resource_type = 'agent' AND resource_id IN (:agent_id, :calling_agent_id))
        OR (resource_type = 'member' AND resource_id = :user_id)
        OR (resource_type = 'card' AND resource_id = :card_id)
        OR (
            resource_type = 'project'
            AND resource_id IN (
                :project_id,
                :card_project_id,
                (SELECT c.project_id FROM columns AS c WHERE c.id = :column_id),
                (SELECT t.project_id FROM card_types AS t WHERE t.id = :card_type_id),
                (SELECT t.project_id FROM transitions AS t WHERE t.id = :transition_id)
            )
        )
    )
LIMIT 1
