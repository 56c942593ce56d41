-- A number that changes when another program has written to the database.
SELECT data_version
FROM pragma_data_version
