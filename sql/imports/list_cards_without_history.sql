-- A page of the cards that were imported without history.
SELECT c.id
FROM cards AS c
WHERE
    c.org_id = :org_id
    AND c.id > :after
    AND NOT EXISTS (SELECT 1 FROM history AS h WHERE h.card_id = c.id)
ORDER BY c.id
LIMIT 1000
