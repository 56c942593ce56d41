-- End all sessions of a user but the given number of those that were used last.
DELETE FROM sessions
WHERE
    id IN (
        SELECT id
        FROM sessions
        WHERE user_id = :user_id
        ORDER BY last_seen_at DESC, id DESC
        LIMIT -1 OFFSET :kept
    )
