-- The members of a team.
SELECT u.id, u.email, u.full_name, m.role
FROM team_members AS t
JOIN teams AS team ON team.id = t.team_id
JOIN users AS u ON u.id = t.user_id
JOIN memberships AS m ON m.user_id = t.user_id AND m.org_id = team.org_id
WHERE t.team_id = :team_id
ORDER BY u.full_name, u.id
