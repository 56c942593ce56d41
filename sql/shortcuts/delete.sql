-- Remove a shortcut.
DELETE FROM shortcuts
WHERE id = :shortcut_id
