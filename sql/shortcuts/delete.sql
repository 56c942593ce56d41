-- Delete a keyboard shortcut.
DELETE FROM shortcuts
WHERE id = :shortcut_id
