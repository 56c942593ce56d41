-- Release the claims on some cards and return whether each was live.
DELETE FROM claims
WHERE card_id IN (SELECT value FROM json_each(:card_ids))
RETURNING card_id, agent_id, expires_at > :now AS was_live
