-- The key, title and location of a card of an active project.
SELECT id, key, title, project_id, card_type_id, column_id
FROM keyed_cards
WHERE id = :card_id AND org_id = :org_id AND project_archived_at IS NULL
