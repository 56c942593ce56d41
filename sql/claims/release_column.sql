-- End the claims on the active cards of a column, and tell which lived.
DELETE FROM claims
WHERE
    card_id IN (SELECT c.id FROM cards AS c WHERE c.column_id = :column_id AND c.archived_at IS NULL)
RETURNING card_id, agent_id, expires_at > :now AS lived
