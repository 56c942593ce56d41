-- One unfinished job.
SELECT id, org_id, kind, resource_type, resource_id, state, actor, parameters
FROM jobs
WHERE id = :job_id
