-- Make the search index anew from the texts that it keeps.
INSERT INTO search_texts (search_texts)
VALUES ('rebuild')
