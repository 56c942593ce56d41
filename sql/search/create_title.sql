-- Add the folded title of a card to the index of substrings.
INSERT INTO search_titles (rowid, title)
VALUES (:number, :title)
