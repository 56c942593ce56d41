-- Hold an organization for an import.
INSERT INTO imports (org_id, started_at)
VALUES (:org_id, :now)
