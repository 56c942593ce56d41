-- Whether an archive operation also archived cards of another organization, which a restore would bring back.
SELECT EXISTS (SELECT 1 FROM cards WHERE archive_id = :archive_id AND org_id <> :org_id)
