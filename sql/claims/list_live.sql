-- The live claims of an organization with the end of the freeze that extended them.
SELECT card_id, expires_at, frozen_until
FROM claims
WHERE org_id = :org_id AND expires_at > :now
