-- The tables and the unique indexes, to create them in the scratch database of an import.
SELECT sql
FROM sqlite_schema
WHERE
    (type = 'table' AND name NOT LIKE 'search_%' AND name NOT LIKE 'sqlite_%')
    OR (type = 'index' AND (sql LIKE 'CREATE UNIQUE %' OR name = 'history_by_card'))
ORDER BY type DESC -- tables before indexes
