-- Count the active cards of an organization, projects or columns, from the counts that triggers maintain.
SELECT coalesce(sum(card_count), 0)
FROM columns
WHERE
    org_id = :org_id
    AND (:project_ids IS NULL OR project_id IN (SELECT value FROM json_each(:project_ids)))
    AND (:column_ids IS NULL OR id IN (SELECT value FROM json_each(:column_ids)))
