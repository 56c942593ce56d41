-- Items of checklists are found line by line: counts the texts anew in which other lines are items now.
BEGIN;

UPDATE field_values
SET checklist_done = checklist_done(value), checklist_total = checklist_total(value)
WHERE
    (value LIKE '%[ ]%' OR value LIKE '%[x]%')
    AND field_id IN (SELECT id FROM fields WHERE kind = 'richtext')
    AND (checklist_total <> checklist_total(value) OR checklist_done <> checklist_done(value));

PRAGMA user_version = 64;
COMMIT;
