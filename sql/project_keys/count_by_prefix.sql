-- How many keys of an organization are a beginning, or that and a number.
SELECT count(*)
FROM project_keys
WHERE org_id = :org_id AND key >= :prefix AND key < :prefix || ':'
