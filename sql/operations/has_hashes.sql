-- Whether the database has hashes of file contents, which older ones have not.
SELECT count(*)
FROM pragma_table_info('files')
WHERE name = 'sha256'
