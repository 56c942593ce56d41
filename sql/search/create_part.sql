-- Add one row of a large card to the index.
INSERT INTO search_parts (rowid, title, sources, fields, comments)
VALUES ((:number << 18) + :part, :title, :sources, :fields, :comments)
