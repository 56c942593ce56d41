-- Update the full name, handle, timezone and theme of a user.
UPDATE users
SET full_name = :full_name, handle = :handle, timezone = :timezone, theme = :theme
WHERE id = :user_id
