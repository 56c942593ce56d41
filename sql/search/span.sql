-- Between which numbers the cards of an organization lie.
SELECT min(number) AS first, max(number) AS last
FROM search_cards
WHERE org_id = :org_id
