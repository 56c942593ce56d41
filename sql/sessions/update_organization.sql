-- Store the organization of the newest token of a session.
UPDATE sessions
SET org_id = :org_id
WHERE id = :id
