-- The range of the numbers of an organization. Two subqueries use the index; min and max in one would scan it.
SELECT
    (SELECT min(number) FROM search_cards WHERE org_id = :org_id) AS first,
    (SELECT max(number) FROM search_cards WHERE org_id = :org_id) AS last
