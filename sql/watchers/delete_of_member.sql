-- End the watching of some cards of an organization by a person.
DELETE FROM card_watchers
WHERE (card_id, user_id) IN (
    SELECT card_id, user_id
    FROM card_watchers
    WHERE user_id = :user_id AND org_id = :org_id
    LIMIT :limit
)
