-- Update the title and color of an organization.
UPDATE organizations
SET title = :title, color = :color
WHERE id = :org_id
