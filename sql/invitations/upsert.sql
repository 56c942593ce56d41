-- Invite a person to an organization. This replaces an earlier invitation.
INSERT INTO invitations (org_id, user_id, email, role, invited_by, code_hash, created_at, expires_at)
VALUES (:org_id, :user_id, :email, :role, :invited_by, :code_hash, :now, :expires_at)
ON CONFLICT (org_id, user_id) DO UPDATE SET
    email = excluded.email,
    role = excluded.role,
    invited_by = excluded.invited_by,
    code_hash = excluded.code_hash,
    created_at = excluded.created_at,
    expires_at = excluded.expires_at
