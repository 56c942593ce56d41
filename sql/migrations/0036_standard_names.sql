-- Columns, indexes and triggers get standard names, and views name the row shapes that several statements share.
BEGIN;

ALTER TABLE relationships RENAME COLUMN holder_card_id TO blocking_card_id;
ALTER TABLE relationships RENAME COLUMN held_card_id TO blocked_card_id;
ALTER TABLE questions RENAME COLUMN taken_up TO answer_seen;
ALTER TABLE history RENAME COLUMN passage TO column_change;
ALTER TABLE history RENAME COLUMN moment TO column_changed_ms;
ALTER TABLE refusals RENAME COLUMN told_at TO reported_at;
ALTER TABLE imports RENAME COLUMN begun_at TO started_at;

DROP INDEX relationships_by_holder;
DROP INDEX relationships_by_held;
CREATE INDEX relationships_by_blocking_card ON relationships (blocking_card_id) WHERE blocking_card_id IS NOT NULL;
CREATE INDEX relationships_by_blocked_card ON relationships (blocked_card_id) WHERE blocked_card_id IS NOT NULL;

-- Open blockers: a card that blocks another one until it is done or archived.
CREATE VIEW open_blockers AS
SELECT r.blocked_card_id, r.blocking_card_id
FROM relationships AS r
JOIN cards AS blocker ON blocker.id = r.blocking_card_id
JOIN columns AS col ON col.id = blocker.column_id
WHERE blocker.archived_at IS NULL AND col.column_type <> 'done';

-- A free card, which an agent may claim, is a claimable card in a claimable column whose claim, if any, has expired.
CREATE VIEW claimable_columns AS
SELECT col.id, col.org_id, col.project_id
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
WHERE
    col.archived_at IS NULL
    AND col.agent_pickup_enabled = 1
    AND col.agent_can_moderate = 1
    AND col.column_type <> 'done';

CREATE VIEW claimable_cards AS
SELECT
    c.id,
    c.column_id,
    c.card_type_id,
    c.claimable_by,
    c.urgency,
    c.due_order,
    c.rank_key,
    coalesce((SELECT k.expires_at FROM claims AS k WHERE k.card_id = c.id), '') AS claimed_until -- '': there is no claim
FROM cards AS c
WHERE
    c.archived_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM open_blockers AS b WHERE b.blocked_card_id = c.id);

-- A move request with the key of its card.
CREATE VIEW move_request_details AS
SELECT
    r.id,
    r.org_id,
    r.card_id,
    p.key || '-' || c.number AS card_key,
    r.from_column_id,
    r.to_column_id,
    r.requested_by,
    r.note,
    r.state,
    r.decided_by,
    r.decision_note,
    r.created_at,
    r.decided_at,
    p.archived_at AS project_archived_at
FROM move_requests AS r
JOIN cards AS c ON c.id = r.card_id
JOIN projects AS p ON p.id = c.project_id;

-- A question with its text, its card and its answer.
CREATE VIEW question_details AS
SELECT
    q.comment_id,
    q.org_id,
    q.card_id,
    p.key || '-' || c.number AS card_key,
    c.title,
    c.column_id,
    c.archived_at AS card_archived_at,
    q.agent_id,
    m.content,
    q.state,
    q.options,
    q.created_at,
    q.answered_by,
    q.answered_at,
    (SELECT a.content FROM comments AS a WHERE a.id = q.answer_id) AS answer
FROM questions AS q
JOIN comments AS m ON m.id = q.comment_id
JOIN cards AS c ON c.id = q.card_id
JOIN projects AS p ON p.id = c.project_id;

-- A relationship with the keys of both cards.
CREATE VIEW relationship_details AS
SELECT
    r.id,
    r.org_id,
    r.from_card_id,
    r.to_card_id,
    from_project.key || '-' || from_card.number AS from_card_key,
    to_project.key || '-' || to_card.number AS to_card_key,
    r.kind,
    r.comment,
    r.created_at
FROM relationships AS r
JOIN cards AS from_card ON from_card.id = r.from_card_id
JOIN projects AS from_project ON from_project.id = from_card.project_id
JOIN cards AS to_card ON to_card.id = r.to_card_id
JOIN projects AS to_project ON to_project.id = to_card.project_id;

DROP TRIGGER card_counts_of_new_cards;
CREATE TRIGGER count_cards_on_insert AFTER INSERT ON cards
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

DROP TRIGGER card_counts_of_cards_that_change;
CREATE TRIGGER count_cards_on_update
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

DROP TRIGGER card_counts_of_cards_no_more;
CREATE TRIGGER count_cards_on_delete AFTER DELETE ON cards
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

DROP TRIGGER columns_count_new_cards;
CREATE TRIGGER count_column_cards_on_insert AFTER INSERT ON cards
WHEN NEW.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count + 1
    WHERE id = NEW.column_id;
END;

DROP TRIGGER columns_count_cards_that_move;
CREATE TRIGGER count_column_cards_on_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN NEW.column_id <> OLD.column_id OR (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL)
BEGIN
    UPDATE columns
    SET card_count = card_count - 1
    WHERE id = OLD.column_id AND OLD.archived_at IS NULL;
    UPDATE columns
    SET card_count = card_count + 1
    WHERE id = NEW.column_id AND NEW.archived_at IS NULL;
END;

DROP TRIGGER columns_count_cards_no_more;
CREATE TRIGGER count_column_cards_on_delete AFTER DELETE ON cards
WHEN OLD.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count - 1
    WHERE id = OLD.column_id;
END;

DROP TRIGGER move_requests_go_stale_with_the_card;
CREATE TRIGGER expire_move_requests_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (NEW.column_id <> OLD.column_id OR (OLD.archived_at IS NULL AND NEW.archived_at IS NOT NULL))
AND EXISTS (SELECT 1 FROM move_requests WHERE card_id = NEW.id AND state = 'open')
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE card_id = NEW.id AND state = 'open';
END;

DROP TRIGGER move_requests_go_stale_with_a_changed_transition;
CREATE TRIGGER expire_move_requests_on_transition_update
AFTER UPDATE OF from_column_id, to_column_id, archived_at ON transitions
WHEN NEW.archived_at IS NOT NULL
OR NEW.from_column_id <> OLD.from_column_id
OR NEW.to_column_id <> OLD.to_column_id
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE from_column_id = OLD.from_column_id AND to_column_id = OLD.to_column_id AND state = 'open';
END;

DROP TRIGGER move_requests_go_stale_with_a_deleted_transition;
CREATE TRIGGER expire_move_requests_on_transition_delete AFTER DELETE ON transitions
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE from_column_id = OLD.from_column_id AND to_column_id = OLD.to_column_id AND state = 'open';
END;

DROP TRIGGER search_follows_the_archive;
CREATE TRIGGER update_search_on_card_update AFTER UPDATE OF archived_at, project_id ON cards
WHEN NEW.archived_at IS NOT OLD.archived_at OR NEW.project_id <> OLD.project_id
BEGIN
    UPDATE search_cards
    SET
        project_id = NEW.project_id,
        active = NEW.archived_at IS NULL
        AND EXISTS (SELECT 1 FROM projects WHERE id = NEW.project_id AND archived_at IS NULL)
    WHERE card_id = NEW.id;
END;

DROP TRIGGER search_follows_projects;
CREATE TRIGGER update_search_on_project_update AFTER UPDATE OF archived_at ON projects
WHEN NEW.archived_at IS NOT OLD.archived_at
BEGIN
    UPDATE search_cards
    SET active = NEW.archived_at IS NULL
        AND EXISTS (SELECT 1 FROM cards WHERE id = search_cards.card_id AND archived_at IS NULL)
    WHERE project_id = NEW.id;
END;

DROP TRIGGER search_forgets_removed_cards;
CREATE TRIGGER delete_search_on_card_delete AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid BETWEEN (SELECT number << 16 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number << 16) + 65535 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_titles
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
    DELETE FROM search_backlog
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

DROP TRIGGER search_notes_new_cards;
CREATE TRIGGER queue_search_on_card_insert AFTER INSERT ON cards
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER search_notes_titles;
CREATE TRIGGER queue_search_on_title_update AFTER UPDATE OF title ON cards
WHEN NEW.title <> OLD.title
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER search_notes_comments;
CREATE TRIGGER queue_search_on_comment_insert AFTER INSERT ON comments
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.card_id)
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER search_notes_new_values;
CREATE TRIGGER queue_search_on_value_insert AFTER INSERT ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER search_notes_changed_values;
CREATE TRIGGER queue_search_on_value_update AFTER UPDATE OF value ON field_values
WHEN NEW.value <> OLD.value
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER search_notes_cleared_values;
CREATE TRIGGER queue_search_on_value_delete AFTER DELETE ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = OLD.card_id
    ON CONFLICT DO NOTHING;
END;

DROP TRIGGER comments_leave_with_their_card;
CREATE TRIGGER comments_are_deleted_with_their_card BEFORE DELETE ON comments
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

DROP TRIGGER history_leaves_with_its_card;
CREATE TRIGGER history_is_deleted_with_its_card BEFORE DELETE ON history
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

PRAGMA user_version = 36;
COMMIT;
