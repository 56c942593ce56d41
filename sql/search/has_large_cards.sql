-- Whether an organization has large cards in the index.
SELECT EXISTS (SELECT 1 FROM search_parts WHERE rowid BETWEEN :first AND :last)
