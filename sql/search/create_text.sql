-- Add the row of a small card to the index.
INSERT INTO search_texts (rowid, title, sources, fields, comments)
VALUES (:number, :title, :sources, :fields, :comments)
