-- Each rich text counts the items of its checklists when it is written, so that a board need not read its texts.
BEGIN;

ALTER TABLE field_values ADD COLUMN checklist_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE field_values ADD COLUMN checklist_total INTEGER NOT NULL DEFAULT 0;

UPDATE field_values
SET checklist_done = checklist_done(value), checklist_total = checklist_total(value)
WHERE
    (value LIKE '%[ ]%' OR value LIKE '%[x]%')
    AND field_id IN (SELECT id FROM fields WHERE kind = 'richtext');

CREATE INDEX checklists_by_card ON field_values (card_id, checklist_total, checklist_done) WHERE checklist_total > 0;

PRAGMA user_version = 54;
COMMIT;
