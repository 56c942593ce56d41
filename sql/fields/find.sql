-- Whether a field belongs to an organization.
SELECT id
FROM fields
WHERE id = :field_id AND org_id = :org_id
