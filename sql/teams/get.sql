-- One active team of an organization.
SELECT
    t.id,
    t.name,
    t.onboarding_doc,
    (SELECT count(*) FROM team_members AS m WHERE m.team_id = t.id) AS member_count,
    (SELECT count(*) FROM agents AS a WHERE a.team_id = t.id) AS agent_count,
    t.created_at
FROM teams AS t
WHERE t.id = :team_id AND t.org_id = :org_id AND t.archived_at IS NULL
