-- New binding of a shortcut.
UPDATE shortcuts
SET binding = :binding
WHERE id = :shortcut_id
