-- Store the estimate of an organization, if it still exists.
INSERT INTO database_usage (org_id, used_bytes, is_exempt)
SELECT id, :used_bytes, :is_exempt
FROM organizations
WHERE id = :org_id
ON CONFLICT (org_id) DO UPDATE SET used_bytes = excluded.used_bytes, is_exempt = excluded.is_exempt
