-- Views for what several statements read in the same way.
BEGIN;

-- Columns that only people move cards on from: agents have no open way out of them.
CREATE VIEW columns_without_way_out AS
SELECT col.id, col.org_id, col.title
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
WHERE
    col.archived_at IS NULL
    AND col.column_type <> 'done'
    AND (
        NOT (col.agent_pickup_enabled AND col.agent_can_moderate)
        OR NOT EXISTS (
            SELECT 1
            FROM transitions AS t
            WHERE t.from_column_id = col.id AND t.archived_at IS NULL AND t.requires_approval = 0
        )
    );

-- Cards whose due date still matters.
CREATE VIEW open_due_cards AS
SELECT c.id, c.org_id, c.project_id, c.assigned_agent_id, c.due_date, c.due_order, c.due_all_day
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
WHERE
    c.archived_at IS NULL
    AND c.due_date IS NOT NULL
    AND col.column_type <> 'done'
    AND NOT EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id);

PRAGMA user_version = 65;
COMMIT;
