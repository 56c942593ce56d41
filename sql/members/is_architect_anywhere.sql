-- Whether a user is a Solution Architect of any active organization.
SELECT EXISTS (
    SELECT 1
    FROM memberships AS m
    JOIN organizations AS o ON o.id = m.org_id AND o.archived_at IS NULL
    WHERE m.user_id = :user_id AND m.role = 'SolutionArchitect'
)
