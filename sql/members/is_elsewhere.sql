-- Whether a user is a member of another organization, too.
SELECT EXISTS (
    SELECT 1
    FROM memberships
    WHERE user_id = :user_id AND org_id <> :org_id
)
