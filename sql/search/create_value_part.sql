-- Store which part of a large card has the value of a field.
INSERT INTO search_values (number, field_id, part)
VALUES (:number, :field_id, :part)
