-- Start an import, which locks the organization.
INSERT INTO imports (org_id, started_at)
VALUES (:org_id, :now)
