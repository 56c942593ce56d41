-- Fields say whether board cards show their values, and which colors their options have.
-- The first multiselect field of each card type is shown, since its values are the labels of a card.
BEGIN;

ALTER TABLE fields ADD COLUMN show_on_card INTEGER NOT NULL DEFAULT 0;
ALTER TABLE fields ADD COLUMN option_colors TEXT NOT NULL DEFAULT '{}'; -- JSON object: option -> #rrggbb

UPDATE fields
SET show_on_card = 1
WHERE
    id IN (
        SELECT first_value(f.id) OVER (PARTITION BY f.card_type_id ORDER BY f.position, f.id)
        FROM fields AS f
        WHERE f.kind = 'multiselect'
    );

CREATE INDEX fields_shown ON fields (card_type_id) WHERE show_on_card = 1;

PRAGMA user_version = 43;
COMMIT;
