-- How many pages of the database are free, with those that this transaction has freed.
PRAGMA freelist_count
