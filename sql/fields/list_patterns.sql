-- The validation patterns of the given fields; fields without one are left out.
SELECT f.id, f.kind, f.options, f.validation
FROM json_each(:field_ids) AS ids
CROSS JOIN fields AS f ON f.id = ids.value
WHERE f.org_id = :org_id AND f.validation IS NOT NULL
