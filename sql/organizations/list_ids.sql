-- The ids of all organizations, including archived ones.
SELECT id
FROM organizations
