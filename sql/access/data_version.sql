-- A number that changes when another process has written to the database.
SELECT data_version
FROM pragma_data_version
