-- The member of an organization with an e-mail address.
SELECT u.id
FROM users AS u
JOIN memberships AS m ON m.user_id = u.id
WHERE u.email_key = :email_key AND m.org_id = :org_id
