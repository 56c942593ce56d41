-- Assign a card the next number of its organization in the index, or the first one of a new range.
INSERT INTO search_cards (number, active, project_id, org_id, card_id)
SELECT
    coalesce(
        (SELECT max(number) + 1 FROM search_cards WHERE org_id = c.org_id),
        (coalesce((SELECT max(number) >> 28 FROM search_cards), 0) + 1) << 28
    ),
    c.archived_at IS NULL AND p.archived_at IS NULL,
    c.project_id,
    c.org_id,
    c.id
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.id = :card_id
RETURNING number
