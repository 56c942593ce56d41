-- Count the Solution Architects of an organization.
SELECT count(*)
FROM memberships
WHERE org_id = :org_id AND role = 'SolutionArchitect'
