-- The first and the last of the changes that wait to be filed, by their numbers; null if there are none.
SELECT
    (SELECT min(number) FROM new_history) AS first,
    (SELECT max(number) FROM new_history) AS last
