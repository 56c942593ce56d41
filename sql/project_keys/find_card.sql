-- The card with an id that the caller may know, or else the card with a key; null if there is none.
SELECT
    coalesce(
        (
            SELECT c.id
            FROM cards AS c
            WHERE
                c.id = :id_or_key
                AND (
                    c.org_id = :org_id
                    OR EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = :user_id AND m.org_id = c.org_id)
                )
        ),
        (
            SELECT c.id
            FROM project_keys AS k
            JOIN cards AS c ON c.project_id = k.project_id AND c.number = :number
            WHERE k.org_id = :org_id AND k.key = :key
        )
    ) AS id
