-- Count the active cards with one of the values of a filter, from the counts that triggers maintain.
SELECT coalesce(sum(cards), 0)
FROM card_counts
WHERE org_id = :org_id AND filter = :filter AND value IN (SELECT value FROM json_each(:values))
