-- A pending invitation in the shape of a member. The name of the invited person is not disclosed.
SELECT
    user_id,
    email,
    NULL AS full_name,
    NULL AS handle,
    role,
    'invited' AS state,
    created_at
FROM invitations
WHERE org_id = :org_id AND user_id = :user_id AND expires_at > :now
