-- The agents that wanted to create too many cards, the longest waiting first, with their number.
SELECT f.since, a.id AS agent_id, a.title AS agent_title, count(*) OVER () AS total
FROM (
    SELECT agent_id, min(first_at) AS since
    FROM refusals
    WHERE org_id = :org_id AND last_at > :creates_since AND code = 'too_many_created_cards'
    GROUP BY agent_id
) AS f
CROSS JOIN agents AS a ON a.org_id = :org_id AND a.id = f.agent_id AND a.status = 'approved'
ORDER BY f.since, a.id
LIMIT :limit
