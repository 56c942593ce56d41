-- Cards of an organization, including archived cards, up to a limit, and whether they have files.
SELECT id, org_id, EXISTS (SELECT 1 FROM files AS f WHERE f.card_id = cards.id) AS has_files
FROM cards
WHERE org_id = :id
LIMIT :limit
