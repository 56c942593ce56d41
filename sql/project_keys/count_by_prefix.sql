-- Count the project keys of an organization that are a prefix, or the prefix and a number.
SELECT count(*)
FROM project_keys
WHERE org_id = :org_id AND key >= :prefix AND key < :prefix || ':'
