-- The tables of the schema, with what has a snapshot's rows refused and the histories found: for a database beside this one.
SELECT sql
FROM sqlite_schema
WHERE
    (type = 'table' AND name NOT LIKE 'search_%' AND name NOT LIKE 'sqlite_%')
    OR (type = 'index' AND (sql LIKE 'CREATE UNIQUE %' OR name = 'history_by_card'))
ORDER BY type DESC -- tables before indexes
