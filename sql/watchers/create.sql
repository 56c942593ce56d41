-- Let a member watch a card; nothing if the person watches it already, or is no member.
INSERT INTO card_watchers (card_id, user_id, org_id)
SELECT :card_id, user_id, org_id
FROM memberships
WHERE org_id = :org_id AND user_id = :user_id
ON CONFLICT (card_id, user_id) DO NOTHING
