-- How many characters the presets of an organization have in their values, with what goes around each of them.
SELECT coalesce(sum(length(value) + 200), 0)
FROM preset_fields
WHERE org_id = :org_id
