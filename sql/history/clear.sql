-- Forget that the changes that are filed by now waited.
DELETE FROM new_history
WHERE number <= :last
