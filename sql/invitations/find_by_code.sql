-- The valid invitation of a user with a code.
SELECT i.org_id, o.title, i.role
FROM invitations AS i
JOIN organizations AS o ON o.id = i.org_id AND o.archived_at IS NULL
WHERE i.code_hash = :code_hash AND i.user_id = :user_id AND i.expires_at > :now
