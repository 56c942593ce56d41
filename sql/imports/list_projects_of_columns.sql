-- The projects whose columns came with a snapshot.
SELECT DISTINCT project_id AS parent_id
FROM columns
