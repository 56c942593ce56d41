-- An archived organization, if the user owns it and is a Solution Architect of it.
SELECT o.id
FROM organizations AS o
JOIN memberships AS m ON m.org_id = o.id AND m.user_id = o.owner_id
WHERE
    o.id = :id
    AND o.owner_id = :user_id
    AND o.archived_at IS NOT NULL
    AND m.role = 'SolutionArchitect'
