-- Whether the schema has an event log.
SELECT 1
FROM sqlite_schema
WHERE type = 'table' AND name = 'events'
