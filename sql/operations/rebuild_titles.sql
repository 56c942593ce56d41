-- Make the index of parts of titles anew from the titles that it keeps.
INSERT INTO search_titles (search_titles)
VALUES ('rebuild')
