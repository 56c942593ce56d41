-- The part of a large card that has the value of a field.
SELECT part
FROM search_values
WHERE number = :number AND field_id = :field_id
