-- The range of the numbers of an organization, which is empty (first > last) if it has none.
-- Two subqueries use the index; min and max in one would scan it.
SELECT
    coalesce((SELECT min(number) FROM search_cards WHERE org_id = :org_id), 0) AS first,
    coalesce((SELECT max(number) FROM search_cards WHERE org_id = :org_id), -1) AS last
