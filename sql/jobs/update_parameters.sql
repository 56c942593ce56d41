-- Store what is left to do of a job.
UPDATE jobs
SET parameters = :parameters
WHERE id = :job_id
