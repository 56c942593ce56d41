-- The size of a page of the database.
PRAGMA page_size
