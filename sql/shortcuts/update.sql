-- Update the binding of a keyboard shortcut.
UPDATE shortcuts
SET binding = :binding
WHERE id = :shortcut_id
