-- A due date can be complete without the card being done, as in Trello: the checkbox field due_complete says so.
-- Such a card is never overdue.
BEGIN;

CREATE VIEW complete_due_dates AS
SELECT v.card_id
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE f.name = 'due_complete' AND f.kind = 'checkbox' AND v.value = '"true"';

PRAGMA user_version = 47;
COMMIT;
