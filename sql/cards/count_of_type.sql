-- How many active cards of a type an organization has: an index alone tells.
SELECT count(*)
FROM cards
WHERE
    card_type_id = (SELECT t.id FROM card_types AS t WHERE t.id = :card_type_id AND t.org_id = :org_id)
    AND archived_at IS NULL
