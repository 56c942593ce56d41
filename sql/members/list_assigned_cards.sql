-- Cards of an organization that are assigned to a user, including archived cards, up to a limit.
SELECT id
FROM cards
WHERE assigned_user_id = :user_id AND org_id = :org_id
LIMIT :limit
