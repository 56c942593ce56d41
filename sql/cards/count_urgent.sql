-- How many active cards have a priority, or just the one with that urgency: an index alone tells.
SELECT count(*)
FROM cards
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND urgency < 4
    AND urgency BETWEEN coalesce(:urgency, 0) AND coalesce(:urgency, 3)
