-- Delete which parts of a card have its values.
DELETE FROM search_values
WHERE number = :number
