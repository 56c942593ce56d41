-- How many active cards have one value of what lists are filtered by: by the counts that triggers keep.
SELECT cards
FROM card_counts
WHERE org_id = :org_id AND filter = :filter AND value = :value
