-- Whether people or agents have changed a card since a time. Comments, claims and new files are no changes of it.
SELECT 1
FROM history
WHERE card_id = :card_id
    AND created_at > :since
    AND imported = 0
    AND actor_type <> 'System'
    AND action NOT IN ('created', 'commented', 'replied', 'claimed', 'released', 'fileAdded', 'fileRemoved', 'imported')
LIMIT 1
