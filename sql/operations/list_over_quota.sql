-- The organizations whose files exceed a quota, largest first.
SELECT
    o.id,
    o.title,
    sum(f.size_bytes) AS size_bytes
FROM files AS f
INNER JOIN organizations AS o ON o.id = f.org_id
GROUP BY o.id
HAVING sum(f.size_bytes) > :quota
ORDER BY sum(f.size_bytes) DESC, o.id
