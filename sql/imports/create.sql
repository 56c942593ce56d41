-- Hold an organization for an import.
INSERT INTO imports (org_id, begun_at)
VALUES (:org_id, :now)
