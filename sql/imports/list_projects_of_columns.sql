-- The projects whose columns a snapshot contains.
SELECT DISTINCT project_id AS parent_id
FROM columns
