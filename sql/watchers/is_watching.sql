-- Whether a person watches a card.
SELECT EXISTS (SELECT 1 FROM card_watchers WHERE card_id = :card_id AND user_id = :user_id)
