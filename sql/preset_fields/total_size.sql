-- The characters of all preset values of an organization, with a fixed overhead for each value.
SELECT coalesce(sum(length(value) + 200), 0)
FROM preset_fields
WHERE org_id = :org_id
