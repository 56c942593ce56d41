-- A person whom an organization invited and who may still come, in the form of a member; nobody's name is told.
SELECT
    user_id,
    email,
    NULL AS full_name,
    role,
    'invited' AS state,
    created_at
FROM invitations
WHERE org_id = :org_id AND user_id = :user_id AND expires_at > :now
