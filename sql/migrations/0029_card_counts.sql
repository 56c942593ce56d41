-- How many active cards have each value of what lists are filtered by is known, so that a list need not count them.
BEGIN;

CREATE TABLE card_counts (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    filter TEXT NOT NULL,   -- the column of cards: card_type_id, priority, assigned_agent_id, assigned_user_id
    value TEXT NOT NULL,
    cards INTEGER NOT NULL, -- that are active; triggers keep it
    PRIMARY KEY (org_id, filter, value)
) STRICT, WITHOUT ROWID;

INSERT INTO card_counts (org_id, filter, value, cards)
SELECT org_id, 'card_type_id', card_type_id, count(*) FROM cards WHERE archived_at IS NULL GROUP BY 1, 3
UNION ALL
SELECT org_id, 'priority', priority, count(*) FROM cards WHERE archived_at IS NULL GROUP BY 1, 3
UNION ALL
SELECT org_id, 'assigned_agent_id', assigned_agent_id, count(*)
FROM cards
WHERE archived_at IS NULL AND assigned_agent_id IS NOT NULL
GROUP BY 1, 3
UNION ALL
SELECT org_id, 'assigned_user_id', assigned_user_id, count(*)
FROM cards
WHERE archived_at IS NULL AND assigned_user_id IS NOT NULL
GROUP BY 1, 3;

CREATE TRIGGER card_counts_of_new_cards AFTER INSERT ON cards
WHEN NEW.archived_at IS NULL
BEGIN
    INSERT INTO card_counts (org_id, filter, value, cards)
    SELECT NEW.org_id, v.filter, v.value, 1
    FROM (
        SELECT 'card_type_id' AS filter, NEW.card_type_id AS value
        UNION ALL
        SELECT 'priority', NEW.priority
        UNION ALL
        SELECT 'assigned_agent_id', NEW.assigned_agent_id
        UNION ALL
        SELECT 'assigned_user_id', NEW.assigned_user_id
    ) AS v
    WHERE v.value IS NOT NULL
    ON CONFLICT (org_id, filter, value) DO UPDATE SET cards = cards + 1;
END;

CREATE TRIGGER card_counts_of_cards_no_more AFTER DELETE ON cards
WHEN OLD.archived_at IS NULL
BEGIN
    UPDATE card_counts
    SET cards = cards - 1
    WHERE
        org_id = OLD.org_id
        AND (filter, value) IN (
            VALUES
            ('card_type_id', OLD.card_type_id),
            ('priority', OLD.priority),
            ('assigned_agent_id', OLD.assigned_agent_id),
            ('assigned_user_id', OLD.assigned_user_id)
        );
END;

CREATE TRIGGER card_counts_of_cards_that_change
AFTER UPDATE OF org_id, card_type_id, priority, assigned_agent_id, assigned_user_id, archived_at ON cards
WHEN
    NEW.priority <> OLD.priority
    OR NEW.assigned_agent_id IS NOT OLD.assigned_agent_id
    OR NEW.assigned_user_id IS NOT OLD.assigned_user_id
    OR NEW.card_type_id <> OLD.card_type_id
    OR (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL)
    OR NEW.org_id <> OLD.org_id
BEGIN
    UPDATE card_counts
    SET cards = cards - 1
    WHERE
        OLD.archived_at IS NULL
        AND org_id = OLD.org_id
        AND (filter, value) IN (
            VALUES
            ('card_type_id', OLD.card_type_id),
            ('priority', OLD.priority),
            ('assigned_agent_id', OLD.assigned_agent_id),
            ('assigned_user_id', OLD.assigned_user_id)
        );
    INSERT INTO card_counts (org_id, filter, value, cards)
    SELECT NEW.org_id, v.filter, v.value, 1
    FROM (
        SELECT 'card_type_id' AS filter, NEW.card_type_id AS value
        UNION ALL
        SELECT 'priority', NEW.priority
        UNION ALL
        SELECT 'assigned_agent_id', NEW.assigned_agent_id
        UNION ALL
        SELECT 'assigned_user_id', NEW.assigned_user_id
    ) AS v
    WHERE NEW.archived_at IS NULL AND v.value IS NOT NULL
    ON CONFLICT (org_id, filter, value) DO UPDATE SET cards = cards + 1;
END;

PRAGMA user_version = 29;
COMMIT;
