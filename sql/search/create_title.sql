-- Put the title of a card into the index by parts.
INSERT INTO search_titles (rowid, title)
VALUES (:number, :title)
