-- Add one part of a card to the index.
INSERT INTO search_texts (rowid, title, sources, fields, comments)
VALUES (:part, :title, :sources, :fields, :comments)
