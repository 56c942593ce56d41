-- The validation patterns of the given fields; fields without one are left out.
SELECT id, kind, options, validation
FROM fields
WHERE id IN (SELECT value FROM json_each(:field_ids)) AND org_id = :org_id AND validation IS NOT NULL
