-- Users in the history and comments of an organization who are no longer members, with their names there.
SELECT
    json_object(
        'id', p.actor_id,
        'email', NULL,
        'fullName', max(p.actor_label),
        'role', NULL
    ) AS row
FROM (
    SELECT h.actor_id, h.actor_label
    FROM cards AS c
    CROSS JOIN history AS h ON h.card_id = c.id
    WHERE c.org_id = :org_id AND h.actor_type = 'User'
    UNION -- not UNION ALL: people occur very often, and fewer rows are faster to sort
    SELECT m.actor_id, m.actor_label
    FROM cards AS c
    CROSS JOIN comments AS m ON m.card_id = c.id
    WHERE c.org_id = :org_id AND m.actor_type = 'User'
) AS p
WHERE p.actor_id NOT IN (SELECT user_id FROM memberships WHERE org_id = :org_id)
GROUP BY p.actor_id
ORDER BY p.actor_id
