-- Forget a job that is done.
DELETE FROM jobs
WHERE id = :job_id
