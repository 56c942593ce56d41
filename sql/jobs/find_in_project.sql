-- A job on a column of a project.
SELECT j.resource_type, j.state
FROM jobs AS j
JOIN columns AS col ON col.id = j.resource_id
WHERE j.org_id = :org_id AND j.resource_type = 'column' AND col.project_id = :project_id
LIMIT 1
