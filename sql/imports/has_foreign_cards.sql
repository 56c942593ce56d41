-- Whether an archive operation marks cards of another organization: restoring it would bring back theirs.
SELECT EXISTS (SELECT 1 FROM cards WHERE archive_id = :archive_id AND org_id <> :org_id)
