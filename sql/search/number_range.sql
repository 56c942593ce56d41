-- Between which numbers the cards of an organization lie; two searches of the index, where both at once would scan it.
SELECT
    (SELECT min(number) FROM search_cards WHERE org_id = :org_id) AS first,
    (SELECT max(number) FROM search_cards WHERE org_id = :org_id) AS last
