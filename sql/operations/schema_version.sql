-- The schema version of the database.
SELECT user_version
FROM pragma_user_version
