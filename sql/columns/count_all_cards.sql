-- Count the active cards of an organization, project or column, from the counts that triggers maintain.
SELECT coalesce(sum(card_count), 0)
FROM columns
WHERE
    org_id = :org_id
    AND (:project_id IS NULL OR project_id = :project_id)
    AND (:column_id IS NULL OR id = :column_id)
