-- Every organization there is, archived ones too.
SELECT id
FROM organizations
