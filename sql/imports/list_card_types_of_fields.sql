-- The card types whose fields a snapshot contains.
SELECT DISTINCT card_type_id AS parent_id
FROM fields
