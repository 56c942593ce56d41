-- Delete a finished job.
DELETE FROM jobs
WHERE id = :job_id
