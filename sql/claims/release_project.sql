-- End the claims on the active cards of a project, and tell which lived.
DELETE FROM claims
WHERE
    card_id IN (SELECT c.id FROM cards AS c WHERE c.project_id = :project_id AND c.archived_at IS NULL)
RETURNING card_id, agent_id, expires_at > :now AS lived
