-- Handles, by which people are mentioned. Existing accounts get one made from the name or e-mail address, the oldest first.
BEGIN;

ALTER TABLE users ADD COLUMN handle TEXT NOT NULL DEFAULT '';

UPDATE users
SET handle = made.value
FROM json_each((
    SELECT assign_handles(json_group_array(json_array(id, full_name, email)))
    FROM (SELECT id, full_name, email FROM users ORDER BY created_at, id)
)) AS made
WHERE users.id = made.key;

CREATE UNIQUE INDEX users_by_handle ON users (handle);

PRAGMA user_version = 51;
COMMIT;
