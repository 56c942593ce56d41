-- Count the active cards with one value of a filter, from the counts that triggers maintain.
SELECT cards
FROM card_counts
WHERE org_id = :org_id AND filter = :filter AND value = :value
