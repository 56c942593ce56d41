-- Store when a snapshot was imported completely.
INSERT INTO import_marks (org_id, exported_at, imported_at)
VALUES (:org_id, :exported_at, :now)
ON CONFLICT (org_id, exported_at) DO UPDATE SET imported_at = excluded.imported_at
