-- How many Solution Architects an organization has.
SELECT count(*)
FROM memberships
WHERE org_id = :org_id AND role = 'SolutionArchitect'
