-- Put one part of a card into the index.
INSERT INTO search_texts (rowid, title, sources, fields, comments)
VALUES (:part, :title, :sources, :fields, :comments)
