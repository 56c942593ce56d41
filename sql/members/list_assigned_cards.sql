-- Some of the cards of an organization that are assigned to a person, archived ones too.
SELECT id
FROM cards
WHERE assigned_user_id = :user_id AND org_id = :org_id
LIMIT :limit
