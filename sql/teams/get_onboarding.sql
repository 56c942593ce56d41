-- The public data of an active team of an active organization.
SELECT t.name, t.onboarding_doc
FROM teams AS t
JOIN organizations AS o ON o.id = t.org_id
WHERE t.id = :team_id AND t.archived_at IS NULL AND o.archived_at IS NULL
