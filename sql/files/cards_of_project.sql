-- The cards of a project that have files.
SELECT DISTINCT f.org_id, f.card_id
FROM files AS f
JOIN cards AS c ON c.id = f.card_id
WHERE c.project_id = :project_id
