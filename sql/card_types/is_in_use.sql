-- Whether a card type has active cards.
SELECT EXISTS (SELECT 1 FROM cards WHERE card_type_id = :card_type_id AND archived_at IS NULL)
