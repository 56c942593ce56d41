-- How many bytes of the database are in use, with the changes of this transaction.
SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size
