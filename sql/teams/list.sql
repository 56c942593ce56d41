-- The active teams of an organization, oldest first.
SELECT
    t.id,
    t.name,
    t.onboarding_doc,
    (SELECT count(*) FROM team_members AS m WHERE m.team_id = t.id) AS member_count,
    (SELECT count(*) FROM agents AS a WHERE a.team_id = t.id) AS agent_count,
    t.created_at
FROM teams AS t
WHERE t.org_id = :org_id AND t.archived_at IS NULL
ORDER BY t.created_at, t.id
