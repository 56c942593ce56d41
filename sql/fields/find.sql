-- A field of an organization, to check that it belongs there.
SELECT id
FROM fields
WHERE id = :field_id AND org_id = :org_id
