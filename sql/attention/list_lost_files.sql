-- The number of files whose contents are missing or damaged, as one item; no row if there are none.
SELECT
    min(lost_since) AS since,
    NULL AS agent_id,
    NULL AS agent_title,
    count(*) AS files,
    1 AS total
FROM files
WHERE org_id = :org_id AND lost_since IS NOT NULL
HAVING count(*) > 0
