-- The estimated bytes of the database that each organization uses.
SELECT org_id, used_bytes, is_exempt
FROM database_usage
