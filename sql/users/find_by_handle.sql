-- The id of the user with a handle.
SELECT id
FROM users
WHERE handle = :handle
