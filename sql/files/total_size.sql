-- The total size in bytes of the files of an organization, which triggers maintain; 0 for one that is yet to be made.
SELECT coalesce((SELECT file_bytes FROM organizations WHERE id = :org_id), 0)
