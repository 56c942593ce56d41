-- How many pages the database has, with those that this transaction has added.
PRAGMA page_count
