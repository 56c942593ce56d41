-- Cards of an organization whose title may contain a text: matches of the index and cards not yet indexed.
SELECT s.card_id
FROM search_titles
CROSS JOIN search_cards AS s ON s.number = search_titles.rowid
WHERE
    search_titles MATCH :match
    AND search_titles.rowid BETWEEN (SELECT min(number) FROM search_cards WHERE org_id = :org_id)
    AND (SELECT max(number) FROM search_cards WHERE org_id = :org_id)
UNION ALL
SELECT card_id
FROM search_backlog
WHERE org_id = :org_id
LIMIT :limit
