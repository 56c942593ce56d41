-- Update the full name, timezone and theme of a user.
UPDATE users
SET full_name = :full_name, timezone = :timezone, theme = :theme
WHERE id = :user_id
