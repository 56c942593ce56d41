-- Count the agents' moves of a card into a column since the last change by a user and since the agent was resumed.
SELECT count(*)
FROM history AS h
WHERE
    h.card_id = :card_id
    AND h.created_at > coalesce(
        (
            SELECT last.created_at
            FROM history AS last
            WHERE last.card_id = :card_id AND last.actor_type = 'User' AND last.imported = 0
            ORDER BY last.created_at DESC
            LIMIT 1
        ),
        ''
    )
    AND h.created_at > coalesce(
        (SELECT a.resumed_at FROM agents AS a WHERE a.org_id = :org_id AND a.id = :agent_id), ''
    )
    AND h.actor_type = 'Agent'
    AND h.imported = 0
    AND h.action = 'moved'
    AND h.to_column_id = :column_id
