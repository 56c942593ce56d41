-- The card types whose fields came with a snapshot.
SELECT DISTINCT card_type_id AS parent_id
FROM fields
