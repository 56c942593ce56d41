-- The pairs of a blocking and a blocked card in an organization.
SELECT blocking_card_id, blocked_card_id
FROM relationships
WHERE org_id = :org_id AND blocking_card_id IS NOT NULL
