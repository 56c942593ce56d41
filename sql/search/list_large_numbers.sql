-- The numbers of the large cards with a match in any row as a JSON list, optionally only of those among the given ones.
SELECT json_group_array(number)
FROM (
    SELECT DISTINCT rowid >> 18 AS number
    FROM search_parts
    WHERE
        search_parts MATCH :match
        AND rowid BETWEEN :first AND :last
        AND (:among IS NULL OR +rowid >> 18 IN (SELECT value FROM json_each(:among)))
)
