-- The current schema, generated from the migrations by `python -m tests.schema`. Do not edit.

CREATE TABLE agents (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id TEXT NOT NULL, -- chosen by the agent
    title TEXT NOT NULL,
    team_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
    key_id TEXT REFERENCES api_keys (id) ON DELETE SET NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'stopped')),
    is_online INTEGER NOT NULL DEFAULT 0,
    last_seen_at TEXT,
    machine_name TEXT,
    machine_ip TEXT,
    llm_version TEXT,
    email TEXT,
    os_name TEXT,
    os_version TEXT,
    ram_bytes INTEGER,
    storage_bytes INTEGER,
    storage_type TEXT,
    created_at TEXT NOT NULL,
    stopped_at TEXT,
    stop_reason TEXT, -- null: a person stopped it
    resumed_at TEXT,  -- the guard counts from here on
    online_until TEXT NOT NULL GENERATED ALWAYS AS (
        CASE
            WHEN is_online = 1 AND status = 'approved'
                THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', last_seen_at, '+10 minutes'), '')
            ELSE ''
        END
    ) VIRTUAL,
    PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_by_id_in_any_case ON agents (org_id, id COLLATE NOCASE);

CREATE INDEX agents_by_key ON agents (key_id);

CREATE INDEX agents_by_status ON agents (org_id, status);

CREATE INDEX agents_by_team ON agents (team_id);

CREATE TRIGGER record_removal_from_agents AFTER DELETE ON agents
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL, -- SHA-256 of the whole key, hexadecimal
    team_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
    agent_id TEXT,      -- the one agent that may use it; null: any
    enabled INTEGER NOT NULL DEFAULT 1,
    expires_at TEXT,
    last_used_at TEXT,
    created_at TEXT NOT NULL,
    acts_as_itself INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX api_keys_by_organization ON api_keys (org_id);

CREATE INDEX api_keys_by_team ON api_keys (team_id);

CREATE TRIGGER record_removal_from_api_keys AFTER DELETE ON api_keys
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE VIEW blocker_states AS
SELECT r.id AS relationship_id, c.archived_at IS NULL AND col.column_type <> 'done' AS is_open
FROM relationships AS r
JOIN cards AS c ON c.id = r.blocking_card_id
JOIN columns AS col ON col.id = c.column_id;

CREATE TABLE card_counts (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    filter TEXT NOT NULL,   -- the column of cards: card_type_id, priority, assigned_agent_id, assigned_user_id
    value TEXT NOT NULL,
    cards INTEGER NOT NULL, -- that are active; triggers keep it
    PRIMARY KEY (org_id, filter, value)
) STRICT, WITHOUT ROWID;

CREATE VIEW card_details AS
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.column_id,
    c.card_type_id,
    c.title,
    c.assigned_agent_id,
    c.assigned_user_id,
    c.priority,
    c.due_date,
    c.due_all_day,
    c.version,
    -- Most cards have neither relationships nor field values; for these, CASE avoids a sort.
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM open_blockers AS r WHERE r.blocked_card_id = c.id) THEN '[]'
        ELSE (
                SELECT json_group_array(blocking_card_id)
                FROM (
                    SELECT DISTINCT blocking_card_id
                    FROM open_blockers
                    WHERE blocked_card_id = c.id
                    ORDER BY blocking_card_id
                )
            )
    END AS blocked_by,
    (
        SELECT json_object('done', sum(v.checklist_done), 'total', sum(v.checklist_total))
        FROM field_values AS v
        WHERE v.card_id = c.id AND v.checklist_total > 0
        HAVING count(*) > 0
    ) AS checklist,
    c.created_by,
    c.created_at,
    c.updated_at,
    c.archived_at,
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM field_values AS v WHERE v.card_id = c.id) THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('fieldId', v.field_id, 'value', json(v.value)))
                FROM (
                    SELECT w.field_id, w.value
                    FROM field_values AS w
                    JOIN fields AS f ON f.id = w.field_id
                    WHERE w.card_id = c.id
                    ORDER BY f.position, f.id
                ) AS v
            )
    END AS field_values,
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM field_values AS v WHERE v.card_id = c.id AND v.mentions IS NOT NULL) THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                FROM (
                    SELECT DISTINCT type, id, label
                    FROM card_mentions
                    WHERE card_id = c.id AND label IS NOT NULL
                    ORDER BY label, id
                ) AS n
            )
    END AS mentions,
    (
        SELECT json_object('id', b.id, 'key', q.key || '-' || b.number, 'title', b.title)
        FROM relationships AS r
        JOIN cards AS b ON b.id = r.to_card_id
        JOIN projects AS q ON q.id = b.project_id
        WHERE r.from_card_id = c.id AND r.kind = 'partOf'
    ) AS parent,
    CASE
        WHEN c.part_count > 0 THEN json_object('done', c.done_part_count, 'total', c.part_count)
    END AS parts,
    k.claim,
    p.archived_at AS project_archived_at,
    col.agent_pickup_enabled,
    col.agent_can_moderate,
    t.comments_enabled,
    t.files_enabled,
    t.archived_at AS card_type_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
JOIN card_types AS t ON t.id = c.card_type_id
LEFT JOIN encoded_claims AS k ON k.card_id = c.id;

CREATE VIEW card_mentions AS
SELECT
    v.card_id,
    n.value ->> 0 AS type,
    n.value ->> 1 AS id,
    CASE n.value ->> 0
        WHEN 'User' THEN (
                SELECT u.full_name
                FROM memberships AS m
                JOIN users AS u ON u.id = m.user_id
                WHERE m.org_id = c.org_id AND m.user_id = n.value ->> 1
            )
        ELSE (SELECT a.title FROM agents AS a WHERE a.org_id = c.org_id AND a.id = n.value ->> 1)
    END AS label
FROM field_values AS v
JOIN cards AS c ON c.id = v.card_id
CROSS JOIN json_each(v.mentions) AS n;

CREATE VIEW card_news AS
SELECT e.id, e.org_id, e.type, e.card_id, e.about, e.actor_type, e.actor_id, e.actor_label, e.created_at
FROM events AS e
WHERE
    e.card_id IS NOT NULL
    AND e.type NOT IN ('card.ranked', 'card.claimed', 'card.released', 'claim.ended', 'agent.refused')
    AND (e.about IS NULL OR e.about ->> '$.archiveId' IS NULL);

CREATE VIEW card_type_details AS
SELECT
    t.id,
    t.org_id,
    t.project_id,
    t.title,
    t.color,
    t.comments_enabled,
    t.files_enabled,
    t.created_at,
    t.archived_at,
    (
        SELECT json_group_array(json_object(
            'id', f.id,
            'cardTypeId', f.card_type_id,
            'name', f.name,
            'label', f.label,
            'kind', f.kind,
            'required', json(iif(f.required, 'true', 'false')),
            'options', json(f.options),
            'order', f.position,
            'validation', f.validation,
            'multiple', json(iif(f.multiple, 'true', 'false')),
            'showOnCard', json(iif(f.show_on_card, 'true', 'false')),
            'optionColors', json(f.option_colors),
            'createdAt', f.created_at
        ))
        FROM (
            SELECT
                id, card_type_id, name, label, kind, required, options, position, validation, multiple,
                show_on_card, option_colors, created_at
            FROM fields
            WHERE card_type_id = t.id
            ORDER BY position, id
        ) AS f
    ) AS fields
FROM card_types AS t;

CREATE TABLE card_types (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE, -- null: shared by the organization
    title TEXT NOT NULL,
    color TEXT NOT NULL,
    comments_enabled INTEGER NOT NULL,
    files_enabled INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT
) STRICT;

CREATE INDEX card_types_by_organization ON card_types (org_id, archived_at);

CREATE INDEX card_types_by_project ON card_types (project_id);

CREATE TRIGGER record_removal_from_card_types AFTER DELETE ON card_types
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TABLE card_watchers (
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    PRIMARY KEY (card_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX card_watchers_by_organization ON card_watchers (org_id);

CREATE INDEX card_watchers_by_user ON card_watchers (user_id, org_id);

CREATE TABLE cards (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    column_id TEXT NOT NULL REFERENCES columns (id),
    card_type_id TEXT NOT NULL REFERENCES card_types (id),
    title TEXT NOT NULL,
    assigned_agent_id TEXT,
    assigned_user_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    priority TEXT NOT NULL CHECK (priority IN ('none', 'low', 'medium', 'high', 'urgent')),
    due_date TEXT,
    rank_key INTEGER NOT NULL,                  -- sorts a column, with gaps; the rank shown is counted from it
    version INTEGER NOT NULL,
    created_by TEXT NOT NULL,                   -- the actor as JSON
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT,
    number INTEGER NOT NULL DEFAULT 0,          -- in its project
    claimable_by TEXT GENERATED ALWAYS AS (     -- an agent; '': any; null: none, it is a person's
        CASE WHEN assigned_agent_id IS NOT NULL THEN assigned_agent_id WHEN assigned_user_id IS NULL THEN '' END
    ) VIRTUAL,
    urgency INTEGER GENERATED ALWAYS AS (
        CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END
    ) VIRTUAL,
    due_all_day INTEGER NOT NULL DEFAULT 0,
    due_order TEXT GENERATED ALWAYS AS (        -- without a date: last
        CASE WHEN due_date IS NULL THEN '~' WHEN due_all_day THEN substr(due_date, 1, 10) ELSE due_date END
    ) VIRTUAL,
    comment_count INTEGER NOT NULL DEFAULT 0,   -- without replies
    reply_count INTEGER NOT NULL DEFAULT 0,
    history_count INTEGER NOT NULL DEFAULT 0,
    file_count INTEGER NOT NULL DEFAULT 0,
    part_count INTEGER NOT NULL DEFAULT 0,      -- that are active
    done_part_count INTEGER NOT NULL DEFAULT 0  -- of these, in done columns
) STRICT;

CREATE INDEX cards_by_agent ON cards (org_id, assigned_agent_id, archived_at, rank_key, id)
WHERE assigned_agent_id IS NOT NULL;

CREATE INDEX cards_by_change ON cards (org_id, updated_at DESC, id) WHERE archived_at IS NULL;

CREATE INDEX cards_by_claim_order ON cards (column_id, claimable_by, urgency, due_order, rank_key, id)
WHERE archived_at IS NULL AND claimable_by IS NOT NULL;

CREATE INDEX cards_by_column ON cards (column_id, archived_at, rank_key, id);

CREATE INDEX cards_by_creation ON cards (org_id, created_at, project_id);

CREATE INDEX cards_by_due_date ON cards (org_id, due_order, rank_key, id)
WHERE due_date IS NOT NULL AND archived_at IS NULL;

CREATE UNIQUE INDEX cards_by_number ON cards (project_id, number);

CREATE INDEX cards_by_operation ON cards (archive_id) WHERE archive_id IS NOT NULL;

CREATE INDEX cards_by_organization ON cards (org_id, archived_at, rank_key, id);

CREATE INDEX cards_by_project ON cards (project_id, archived_at);

CREATE INDEX cards_by_type ON cards (card_type_id, org_id, archived_at, rank_key, id);

CREATE INDEX cards_by_urgency ON cards (org_id, urgency, rank_key, id) WHERE archived_at IS NULL AND urgency < 4;

CREATE INDEX cards_by_user ON cards (assigned_user_id, org_id, archived_at, rank_key, id)
WHERE assigned_user_id IS NOT NULL;

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

CREATE TRIGGER count_column_cards_on_delete AFTER DELETE ON cards
WHEN OLD.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count - 1
    WHERE id = OLD.column_id;
END;

CREATE TRIGGER count_column_cards_on_insert AFTER INSERT ON cards
WHEN NEW.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count + 1
    WHERE id = NEW.column_id;
END;

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

CREATE TRIGGER count_parts_on_card_delete BEFORE DELETE ON cards
BEGIN
    UPDATE cards
    SET
        part_count = part_count - (SELECT is_active FROM part_states WHERE part_id = OLD.id),
        done_part_count = done_part_count - (SELECT is_done FROM part_states WHERE part_id = OLD.id)
    WHERE id = (SELECT parent_id FROM part_states WHERE part_id = OLD.id);
END;

CREATE TRIGGER count_parts_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (NEW.column_id <> OLD.column_id OR (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL))
AND EXISTS (SELECT 1 FROM relationships WHERE from_card_id = NEW.id AND kind = 'partOf')
BEGIN
    UPDATE cards
    SET
        part_count = part_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL),
        done_part_count = done_part_count
        + (NEW.archived_at IS NULL AND (SELECT column_type = 'done' FROM columns WHERE id = NEW.column_id))
        - (OLD.archived_at IS NULL AND (SELECT column_type = 'done' FROM columns WHERE id = OLD.column_id))
    WHERE id = (SELECT to_card_id FROM relationships WHERE from_card_id = NEW.id AND kind = 'partOf');
END;

CREATE TRIGGER delete_search_on_card_delete AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_parts
    WHERE rowid BETWEEN (SELECT number << 18 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number + 1 << 18) - 1 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_values
    WHERE number = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_titles
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
    DELETE FROM search_backlog
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

CREATE TRIGGER expire_move_requests_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (NEW.column_id <> OLD.column_id OR (OLD.archived_at IS NULL AND NEW.archived_at IS NOT NULL))
AND EXISTS (SELECT 1 FROM move_requests WHERE card_id = NEW.id AND state = 'open')
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE card_id = NEW.id AND state = 'open';
END;

CREATE TRIGGER open_blocker_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (
    (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL)
    OR (SELECT column_type FROM columns WHERE id = NEW.column_id)
    <> (SELECT column_type FROM columns WHERE id = OLD.column_id)
)
AND EXISTS (SELECT 1 FROM relationships WHERE blocking_card_id = NEW.id)
BEGIN
    UPDATE relationships
    SET is_open = NEW.archived_at IS NULL AND (SELECT column_type <> 'done' FROM columns WHERE id = NEW.column_id)
    WHERE blocking_card_id = NEW.id;
END;

CREATE TRIGGER queue_search_on_card_insert AFTER INSERT ON cards
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.id, 'title', '')
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_title_update AFTER UPDATE OF title ON cards
WHEN NEW.title <> OLD.title
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.id, 'title', '')
    ON CONFLICT DO NOTHING;
END;

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

CREATE VIEW claim_candidates AS
SELECT
    c.id,
    c.column_id,
    c.card_type_id,
    c.claimable_by,
    c.urgency,
    c.due_order,
    c.rank_key,
    coalesce((SELECT k.expires_at FROM claims AS k WHERE k.card_id = c.id), '') AS claimed_until, -- '': there is no claim
    NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM open_blockers AS b WHERE b.blocked_card_id = c.id) AS is_available
FROM cards AS c
WHERE c.archived_at IS NULL;

CREATE VIEW claimable_columns AS
SELECT col.id, col.org_id, col.project_id
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
WHERE
    col.archived_at IS NULL
    AND col.agent_pickup_enabled = 1
    AND col.agent_can_moderate = 1
    AND col.column_type <> 'done'
    AND NOT EXISTS (
        SELECT 1
        FROM jobs AS j
        WHERE j.org_id = col.org_id AND j.resource_type = 'project' AND j.resource_id = col.project_id
    );

CREATE TABLE claims (
    card_id TEXT PRIMARY KEY REFERENCES cards (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,                     -- the actor: an agent, or a key that acts as none
    token TEXT NOT NULL,                        -- another one with each claim, so that a late holder is known by the old
    claimed_at TEXT NOT NULL,
    renewed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    lease_seconds INTEGER NOT NULL DEFAULT 300, -- as long it lives from each renewal
    prompt_version_id TEXT,                     -- current when it was taken; null: none
    frozen_until TEXT,                          -- the end of a freeze that expires_at counts in
    session TEXT                                -- null: it belongs to all processes of the agent
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_agent ON claims (org_id, agent_id, expires_at);

CREATE INDEX claims_by_expiry ON claims (org_id, expires_at);

CREATE INDEX claims_by_session ON claims (org_id, agent_id, session, expires_at) WHERE session IS NOT NULL;

CREATE TABLE columns (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    position INTEGER NOT NULL,             -- dense and 0-based among the active columns of the project
    agent_pickup_enabled INTEGER NOT NULL,
    agent_can_moderate INTEGER NOT NULL,
    column_type TEXT NOT NULL CHECK (column_type IN ('standard', 'done')),
    wip_limit INTEGER,
    required_field_ids TEXT NOT NULL,      -- JSON array
    created_at TEXT NOT NULL,
    archived_at TEXT,                      -- deleted alone, or archived with its project
    archived_by TEXT,
    archive_id TEXT,
    rejects_blocked INTEGER NOT NULL DEFAULT 0,
    prompt_id TEXT REFERENCES prompts (id) ON DELETE SET NULL,
    card_count INTEGER NOT NULL DEFAULT 0  -- its active cards; triggers keep it
) STRICT;

CREATE INDEX columns_by_organization ON columns (org_id, archived_at);

CREATE INDEX columns_by_project ON columns (project_id, archived_at, position);

CREATE INDEX columns_by_prompt ON columns (prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TRIGGER count_parts_on_column_update AFTER UPDATE OF column_type ON columns
WHEN NEW.column_type <> OLD.column_type
BEGIN
    UPDATE cards
    SET done_part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_done)
    WHERE id IN (
        SELECT r.to_card_id
        FROM cards AS c
        JOIN relationships AS r ON r.from_card_id = c.id AND r.kind = 'partOf'
        WHERE c.column_id = NEW.id AND c.archived_at IS NULL
    );
END;

CREATE TRIGGER open_blocker_on_column_update AFTER UPDATE OF column_type ON columns
WHEN NEW.column_type <> OLD.column_type
BEGIN
    UPDATE relationships
    SET is_open = NEW.column_type <> 'done'
    WHERE blocking_card_id IN (SELECT id FROM cards WHERE column_id = NEW.id AND archived_at IS NULL);
END;

CREATE TRIGGER record_removal_from_columns AFTER DELETE ON columns
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

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

CREATE VIEW comment_mentions AS
SELECT
    c.id AS comment_id,
    n.value ->> 0 AS type,
    n.value ->> 1 AS id,
    CASE n.value ->> 0
        WHEN 'User' THEN (
                SELECT u.full_name
                FROM memberships AS m
                JOIN users AS u ON u.id = m.user_id
                WHERE m.org_id = c.org_id AND m.user_id = n.value ->> 1
            )
        ELSE (SELECT a.title FROM agents AS a WHERE a.org_id = c.org_id AND a.id = n.value ->> 1)
    END AS label
FROM comments AS c
CROSS JOIN json_each(c.mentions) AS n;

CREATE VIEW comment_threads AS
SELECT
    r.id,
    r.card_id,
    r.content,
    json_object('type', r.actor_type, 'id', r.actor_id, 'label', r.actor_label) AS actor,
    (
        SELECT json_group_array(json_object(
            'id', a.id,
            'content', a.content,
            'actor', json_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label),
            'replies', json_array(),
            'repliesTotal', 0,
            'asks', NULL,
            'mentions', json(CASE
                WHEN a.mentions IS NULL THEN '[]'
                ELSE (
                        SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                        FROM comment_mentions AS n
                        WHERE n.comment_id = a.id AND n.label IS NOT NULL
                    )
            END),
            'imported', json(iif(a.imported, 'true', 'false')),
            'createdAt', a.created_at
        ))
        FROM (
            SELECT id, content, actor_type, actor_id, actor_label, mentions, imported, created_at
            FROM comments
            WHERE parent_id = r.id
            ORDER BY created_at, id
            LIMIT 100
        ) AS a
    ) AS replies,
    r.reply_count AS replies_total,
    CASE
        WHEN q.comment_id IS NOT NULL THEN json_object(
                'state', q.state,
                'options', json(q.options),
                'answeredBy', json(q.answered_by),
                'answeredAt', q.answered_at
            )
    END AS asks,
    CASE
        WHEN r.mentions IS NULL THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                FROM comment_mentions AS n
                WHERE n.comment_id = r.id AND n.label IS NOT NULL
            )
    END AS mentions,
    r.imported,
    r.created_at
FROM comments AS r
LEFT JOIN questions AS q ON q.comment_id = r.id
WHERE r.parent_id IS NULL;

CREATE TABLE comments (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    parent_id TEXT REFERENCES comments (id) ON DELETE CASCADE, -- null: not a reply
    content TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    created_at TEXT NOT NULL,
    imported INTEGER NOT NULL DEFAULT 0,
    mentions TEXT,
    reply_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX comments_by_card ON comments (card_id, parent_id, created_at, id);

CREATE INDEX replies_by_comment ON comments (parent_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE INDEX replies_by_time ON comments (card_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE TRIGGER comments_are_append_only
BEFORE UPDATE OF
id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, created_at, imported
ON comments
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER comments_are_deleted_with_their_card BEFORE DELETE ON comments
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER count_comments_on_insert AFTER INSERT ON comments
BEGIN
    UPDATE cards
    SET
        comment_count = comment_count + (NEW.parent_id IS NULL),
        reply_count = reply_count + (NEW.parent_id IS NOT NULL)
    WHERE id = NEW.card_id;
    UPDATE comments
    SET reply_count = reply_count + 1
    WHERE id = NEW.parent_id;
END;

CREATE TRIGGER mentions_of_comments_are_only_filled_in BEFORE UPDATE OF mentions ON comments
WHEN OLD.mentions IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER queue_search_on_comment_insert AFTER INSERT ON comments
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.card_id, 'comment', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE VIEW complete_due_dates AS
SELECT v.card_id
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE f.name = 'due_complete' AND f.kind = 'checkbox' AND v.value = '"true"';

CREATE TABLE database_usage (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    used_bytes INTEGER NOT NULL,
    is_exempt INTEGER NOT NULL DEFAULT 0  -- from the default quota, until it uses less than that
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    event TEXT NOT NULL,  -- JSON, as the log of events shows it
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    status_code INTEGER,  -- of the last attempt, like the next two
    error TEXT,
    duration_ms INTEGER,
    next_attempt_at TEXT, -- null once it is not pending
    created_at TEXT NOT NULL,
    delivered_at TEXT,
    UNIQUE (webhook_id, event_id)
) STRICT;

CREATE INDEX deliveries_pending ON deliveries (webhook_id, next_attempt_at, event_id) WHERE state = 'pending';

CREATE VIEW encoded_claims AS
SELECT
    card_id,
    -- Expired or not: rows are cached by their parameters, so the current time cannot be a parameter.
    json_patch(
        json_object(
            'agentId', agent_id,
            'token', token,
            'claimedAt', claimed_at,
            'renewedAt', renewed_at,
            'expiresAt', expires_at,
            'promptVersionId', prompt_version_id,
            'leaseSeconds', lease_seconds
        ),
        iif(session IS NULL, '{}', json_object('session', session))
    ) AS claim
FROM claims;

CREATE VIEW encoded_events AS
SELECT
    id,
    org_id,
    '{"id":"' || id || '","type":' || json_quote(type)
    || CASE WHEN card_id IS NULL THEN '' ELSE ',"cardId":' || json_quote(card_id) END
    || CASE WHEN card_key IS NULL THEN '' ELSE ',"cardKey":"' || card_key || '"' END
    || CASE WHEN project_id IS NULL THEN '' ELSE ',"projectId":' || json_quote(project_id) END
    || CASE WHEN about IS NULL THEN '' ELSE ',' || substr(about, 2, length(about) - 2) END
    || ',"actor":' || json_object('type', actor_type, 'id', actor_id, 'label', actor_label)
    || ',"at":' || json_quote(created_at) || '}' AS text
FROM events;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    type TEXT NOT NULL, -- <noun>.<verb>
    card_id TEXT,
    project_id TEXT,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    created_at TEXT NOT NULL,
    about TEXT,         -- JSON object of further ids by their names on the wire; null: none
    card_key TEXT
) STRICT;

CREATE INDEX events_by_organization ON events (org_id, id);

CREATE TABLE field_values (
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL, -- JSON: a string or a list of strings
    checklist_done INTEGER NOT NULL DEFAULT 0,
    checklist_total INTEGER NOT NULL DEFAULT 0,
    mentions TEXT,
    PRIMARY KEY (card_id, field_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX checklists_by_card ON field_values (card_id, checklist_total, checklist_done) WHERE checklist_total > 0;

CREATE INDEX field_values_by_field ON field_values (field_id);

CREATE TRIGGER queue_search_on_value_delete AFTER DELETE ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', OLD.field_id
    FROM cards
    WHERE id = OLD.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_value_insert AFTER INSERT ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', NEW.field_id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_value_update AFTER UPDATE OF value ON field_values
WHEN NEW.value <> OLD.value
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', NEW.field_id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TABLE fields (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_type_id TEXT NOT NULL REFERENCES card_types (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    required INTEGER NOT NULL,
    options TEXT NOT NULL,                    -- JSON array
    position INTEGER NOT NULL,
    validation TEXT,                          -- an RE2 pattern
    multiple INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    show_on_card INTEGER NOT NULL DEFAULT 0,
    option_colors TEXT NOT NULL DEFAULT '{}', -- JSON object: option -> #rrggbb
    UNIQUE (card_type_id, name)
) STRICT;

CREATE INDEX fields_by_organization ON fields (org_id);

CREATE INDEX fields_required ON fields (card_type_id) WHERE required = 1;

CREATE INDEX fields_shown ON fields (card_type_id) WHERE show_on_card = 1;

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    uploaded_at TEXT NOT NULL,
    sha256 TEXT,     -- of the contents, in hexadecimal; null: not calculated yet
    lost_since TEXT  -- when the contents were found to be missing or damaged
) STRICT;

CREATE INDEX files_by_card ON files (card_id, field_id, uploaded_at, id);

CREATE INDEX files_by_field ON files (field_id);

CREATE INDEX files_by_organization ON files (org_id);

CREATE INDEX files_by_time ON files (card_id, uploaded_at, id);

CREATE INDEX files_lost ON files (org_id, lost_since, id) WHERE lost_since IS NOT NULL;

CREATE TRIGGER count_files_on_delete AFTER DELETE ON files
BEGIN
    UPDATE cards
    SET file_count = file_count - 1
    WHERE id = OLD.card_id;
    UPDATE organizations
    SET file_bytes = file_bytes - OLD.size_bytes
    WHERE id = OLD.org_id;
END;

CREATE TRIGGER count_files_on_insert AFTER INSERT ON files
BEGIN
    UPDATE cards
    SET file_count = file_count + 1
    WHERE id = NEW.card_id;
    UPDATE organizations
    SET file_bytes = file_bytes + NEW.size_bytes
    WHERE id = NEW.org_id;
END;

CREATE TRIGGER count_files_on_update AFTER UPDATE OF org_id, card_id, size_bytes ON files
BEGIN
    UPDATE cards
    SET file_count = (SELECT count(*) FROM files AS f WHERE f.card_id = cards.id)
    WHERE OLD.card_id <> NEW.card_id AND id IN (OLD.card_id, NEW.card_id);
    UPDATE organizations
    SET file_bytes = file_bytes - OLD.size_bytes
    WHERE id = OLD.org_id;
    UPDATE organizations
    SET file_bytes = file_bytes + NEW.size_bytes
    WHERE id = NEW.org_id;
END;

CREATE TABLE former_card_keys (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_card_keys_by_card ON former_card_keys (card_id, project_id);

CREATE TABLE freezes (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    until TEXT,              -- null: until somebody ends it
    frozen_at TEXT NOT NULL,
    frozen_by TEXT NOT NULL  -- the actor as JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    actor_type TEXT NOT NULL CHECK (actor_type = 'User' OR actor_type = 'Agent' OR actor_type = 'System'),
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,     -- JSON: field name -> {from, to}
    created_at TEXT NOT NULL,
    column_change TEXT,        -- the action, or 'returned' if restored to where it stood; null: none
    from_column_id TEXT,       -- null: the card was new or archived
    to_column_id TEXT,         -- null: it is archived now
    column_changed_ms INTEGER, -- of the passage, in milliseconds since 1970
    imported INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX history_by_card ON history (card_id, created_at, id);

CREATE INDEX history_into ON history (to_column_id, column_changed_ms, column_change, card_id) WHERE to_column_id IS NOT NULL;

CREATE INDEX history_of_agents ON history (org_id, actor_id, card_id, created_at, action, actor_type)
WHERE actor_type = 'Agent';

CREATE INDEX history_of_agents_moves ON history (card_id, to_column_id, created_at, id)
WHERE actor_type = 'Agent' AND column_change = 'moved';

CREATE INDEX history_of_claims ON history (card_id, created_at, id) WHERE action = 'claimed';

CREATE INDEX history_of_new_cards ON history (org_id, actor_id, created_at)
WHERE actor_type = 'Agent' AND action = 'created';

CREATE INDEX history_out_of ON history (from_column_id, column_changed_ms) WHERE from_column_id IS NOT NULL;

CREATE TRIGGER count_history_on_insert AFTER INSERT ON history
BEGIN
    UPDATE cards
    SET history_count = history_count + 1
    WHERE id = NEW.card_id;
END;

CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TRIGGER history_is_deleted_with_its_card BEFORE DELETE ON history
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TABLE import_marks (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    exported_at TEXT NOT NULL, -- of the snapshot, which tells it from others
    imported_at TEXT NOT NULL,
    PRIMARY KEY (org_id, exported_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_steps (                    -- those that are still to be done
    org_id TEXT NOT NULL REFERENCES imports (org_id),
    number INTEGER NOT NULL,
    steps BLOB NOT NULL, -- statements with their parameters, packed
    PRIMARY KEY (org_id, number)
) STRICT;

CREATE TABLE imports (
    org_id TEXT PRIMARY KEY, -- no reference: it may yet have to make the organization
    started_at TEXT NOT NULL,
    last_step INTEGER        -- once all its steps are there and it is decided; null: nothing was changed
) STRICT, WITHOUT ROWID;

CREATE TABLE "invitations" (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,            -- as the architect wrote it
    role TEXT NOT NULL CHECK (role = 'SolutionArchitect' OR role = 'Member'),
    invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_by_sender ON invitations (invited_by);

CREATE INDEX invitations_by_user ON invitations (user_id);

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,        -- no reference: a job may remove its organization
    kind TEXT NOT NULL,
    resource_type TEXT NOT NULL, -- writes to this resource and its contents are denied meanwhile
    resource_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('archiving', 'restoring', 'removing', 'duplicating')),
    actor TEXT NOT NULL,         -- JSON: who asked for it
    parameters TEXT NOT NULL     -- JSON object
) STRICT;

CREATE INDEX jobs_by_organization ON jobs (org_id);

CREATE VIEW keyed_cards AS
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.column_id,
    c.card_type_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.title,
    c.archived_at,
    p.archived_at AS project_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id;

CREATE TABLE mcp_servers (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    transport TEXT NOT NULL CHECK (transport IN ('stdio', 'http')),
    command TEXT,
    args TEXT NOT NULL, -- JSON array
    env TEXT NOT NULL,  -- JSON object: name -> encrypted value
    url TEXT,
    auth_kind TEXT,
    auth_token TEXT,    -- encrypted
    enabled INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (org_id, name)
) STRICT;

CREATE TABLE memberships (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('SolutionArchitect', 'Member')),
    created_at TEXT NOT NULL,
    PRIMARY KEY (user_id, org_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_by_organization ON memberships (org_id, role);

CREATE TRIGGER end_invitations_on_member_delete AFTER DELETE ON memberships
BEGIN
    DELETE FROM invitations
    WHERE org_id = OLD.org_id AND invited_by = OLD.user_id;
END;

CREATE TRIGGER end_invitations_on_member_update AFTER UPDATE OF role ON memberships
WHEN NEW.role <> 'SolutionArchitect'
BEGIN
    DELETE FROM invitations
    WHERE org_id = NEW.org_id AND invited_by = NEW.user_id;
END;

CREATE TRIGGER record_removal_from_memberships AFTER DELETE ON memberships
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.user_id);
END;

CREATE TRIGGER set_seen_mark_on_member_insert AFTER INSERT ON memberships
BEGIN
    INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)
    SELECT NEW.org_id, 'User', NEW.user_id, '', coalesce(max(e.id), 0)
    FROM events AS e
    WHERE e.org_id = NEW.org_id
    ON CONFLICT (org_id, reader_type, reader_id, card_id) DO UPDATE SET event_id = excluded.event_id
    WHERE excluded.event_id > seen.event_id;
END;

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

CREATE TABLE move_requests (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    from_column_id TEXT NOT NULL, -- no references: a request can still be read when its columns are gone
    to_column_id TEXT NOT NULL,
    requested_by TEXT NOT NULL,   -- the actor as JSON
    note TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn', 'stale')),
    decided_by TEXT,              -- the actor as JSON; null: open or stale
    decision_note TEXT,
    created_at TEXT NOT NULL,
    decided_at TEXT               -- when it ceased to be open
) STRICT;

CREATE INDEX move_requests_by_card ON move_requests (card_id, org_id, created_at, id);

CREATE INDEX move_requests_by_organization ON move_requests (org_id, created_at, id);

CREATE INDEX move_requests_by_state ON move_requests (org_id, state, created_at, id);

CREATE UNIQUE INDEX move_requests_open ON move_requests (card_id) WHERE state = 'open';

CREATE INDEX move_requests_open_by_edge ON move_requests (from_column_id, to_column_id) WHERE state = 'open';

CREATE VIEW open_blockers AS
SELECT blocked_card_id, blocking_card_id
FROM relationships
WHERE blocked_card_id IS NOT NULL AND is_open = 1;

CREATE VIEW open_due_cards AS
SELECT c.id, c.org_id, c.project_id, c.assigned_agent_id, c.due_date, c.due_order, c.due_all_day
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
WHERE
    c.archived_at IS NULL
    AND c.due_date IS NOT NULL
    AND col.column_type <> 'done'
    AND NOT EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id);

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    color TEXT NOT NULL,
    owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,                      -- the actor as JSON
    archive_id TEXT,                       -- the archive operation that took the row away
    timezone TEXT NOT NULL DEFAULT 'UTC',
    file_bytes INTEGER NOT NULL DEFAULT 0  -- of all its files
) STRICT;

CREATE INDEX organizations_by_owner ON organizations (owner_id);

CREATE VIEW part_states AS -- each part of a card, with what it counts for its parent
SELECT
    r.id AS relationship_id,
    r.to_card_id AS parent_id,
    c.id AS part_id,
    c.column_id,
    c.archived_at IS NULL AS is_active,
    c.archived_at IS NULL AND col.column_type = 'done' AS is_done
FROM relationships AS r
JOIN cards AS c ON c.id = r.from_card_id
JOIN columns AS col ON col.id = c.column_id
WHERE r.kind = 'partOf';

CREATE TABLE permissions (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    resource TEXT NOT NULL,
    actions TEXT NOT NULL, -- JSON array of action names
    UNIQUE (org_id, role, resource)
) STRICT;

CREATE TABLE preset_fields (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_type_id TEXT NOT NULL REFERENCES card_types (id) ON DELETE CASCADE,
    preset_name TEXT NOT NULL,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL, -- JSON: a string or a list of strings
    UNIQUE (card_type_id, preset_name, field_id)
) STRICT;

CREATE INDEX preset_fields_by_field ON preset_fields (field_id);

CREATE INDEX preset_fields_by_organization ON preset_fields (org_id);

CREATE TABLE project_keys (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    project_id TEXT NOT NULL,
    PRIMARY KEY (org_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_keys_by_project ON project_keys (project_id);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    color TEXT NOT NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT,
    key TEXT NOT NULL DEFAULT '',
    last_number INTEGER NOT NULL DEFAULT 0, -- of its cards, removed ones too: none is given twice
    display TEXT NOT NULL DEFAULT '{"attachments":true,"progress":true,"listColumns":["title","key","column","assignee","agent","priority","due","labels"]}' -- JSON object
) STRICT;

CREATE INDEX projects_by_organization ON projects (org_id, archived_at);

CREATE TRIGGER record_removal_from_projects AFTER DELETE ON projects
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER update_search_on_project_update AFTER UPDATE OF archived_at ON projects
WHEN NEW.archived_at IS NOT OLD.archived_at
BEGIN
    UPDATE search_cards
    SET active = NEW.archived_at IS NULL
        AND EXISTS (SELECT 1 FROM cards WHERE id = search_cards.card_id AND archived_at IS NULL)
    WHERE project_id = NEW.id;
END;

CREATE TABLE prompt_categories (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX prompt_categories_by_organization ON prompt_categories (org_id, created_at);

CREATE TRIGGER record_removal_from_prompt_categories AFTER DELETE ON prompt_categories
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TABLE prompt_versions (
    id TEXT PRIMARY KEY,
    prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    body TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (prompt_id, label)
) STRICT;

CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    category_id TEXT REFERENCES prompt_categories (id) ON DELETE SET NULL,
    current_version_id TEXT, -- the one active version; null: none
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE INDEX prompts_by_category ON prompts (category_id);

CREATE INDEX prompts_by_organization ON prompts (org_id, archived_at, name);

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
    (SELECT a.content FROM comments AS a WHERE a.id = q.answer_id AND a.parent_id = q.comment_id) AS answer
FROM questions AS q
JOIN comments AS m ON m.id = q.comment_id
JOIN cards AS c ON c.id = q.card_id
JOIN projects AS p ON p.id = c.project_id;

CREATE TABLE questions (
    comment_id TEXT PRIMARY KEY REFERENCES comments (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,                 -- the actor who asks: an agent, or a key that acts as none
    options TEXT,                           -- JSON array of answers to choose from; null: any
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'withdrawn')),
    answer_id TEXT,                         -- the reply by which it was answered
    answered_by TEXT,                       -- the actor as JSON
    answered_at TEXT,                       -- null: nobody has
    answer_seen INTEGER NOT NULL DEFAULT 0, -- whether the asker has claimed the card since it was answered
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX questions_answered ON questions (org_id, agent_id, card_id) WHERE state = 'answered' AND answer_seen = 0;

CREATE INDEX questions_by_agent ON questions (org_id, agent_id, state);

CREATE INDEX questions_by_card ON questions (card_id, created_at, comment_id);

CREATE INDEX questions_by_organization ON questions (org_id, created_at, comment_id);

CREATE INDEX questions_by_state ON questions (org_id, state, created_at, comment_id);

CREATE UNIQUE INDEX questions_open ON questions (card_id, agent_id) WHERE state = 'open';

CREATE INDEX questions_open_by_card ON questions (card_id, created_at, comment_id) WHERE state = 'open';

CREATE INDEX questions_with_unseen_answers ON questions (card_id) WHERE state = 'answered' AND answer_seen = 0;

CREATE TABLE readiness (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    checked_at TEXT NOT NULL
) STRICT;

CREATE TABLE refusals (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,
    card_id TEXT NOT NULL,  -- '': it was about no card; no reference: the row outlives its card
    code TEXT NOT NULL,
    hour TEXT NOT NULL,     -- 2026-11-20T09
    to_column_id TEXT,      -- the last one of a move
    message TEXT NOT NULL,
    blockers TEXT NOT NULL, -- JSON array
    count INTEGER NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    reported_at TEXT,       -- when an event last told of it
    UNIQUE (org_id, agent_id, card_id, code, hour)
) STRICT;

CREATE INDEX refusals_by_age ON refusals (last_at);

CREATE INDEX refusals_by_time ON refusals (org_id, last_at);

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

CREATE TABLE relationships (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    from_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    to_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('blocks', 'dependsOn', 'partOf', 'duplicates', 'relatesTo')),
    comment TEXT,
    created_at TEXT NOT NULL,
    -- Which of the two waits for the other, as long as that is neither done nor archived; null: neither.
    blocking_card_id TEXT GENERATED ALWAYS AS (
        CASE WHEN kind IN ('blocks', 'partOf') THEN from_card_id WHEN kind = 'dependsOn' THEN to_card_id END
    ) STORED,
    blocked_card_id TEXT GENERATED ALWAYS AS (
        CASE WHEN kind IN ('blocks', 'partOf') THEN to_card_id WHEN kind = 'dependsOn' THEN from_card_id END
    ) STORED,
    is_open INTEGER NOT NULL DEFAULT 0,
    UNIQUE (from_card_id, to_card_id, kind)
) STRICT;

CREATE INDEX relationships_by_blocking_card ON relationships (blocking_card_id) WHERE blocking_card_id IS NOT NULL;

CREATE INDEX relationships_by_destination ON relationships (to_card_id, kind, created_at, id);

CREATE INDEX relationships_by_organization ON relationships (org_id, created_at, id);

CREATE INDEX relationships_by_origin ON relationships (from_card_id, created_at, id);

CREATE UNIQUE INDEX relationships_one_parent ON relationships (from_card_id) WHERE kind = 'partOf';

CREATE INDEX relationships_open ON relationships (blocked_card_id, blocking_card_id) WHERE is_open = 1;

CREATE TRIGGER count_parts_on_relationship_delete BEFORE DELETE ON relationships
WHEN OLD.kind = 'partOf'
BEGIN
    UPDATE cards
    SET
        part_count = part_count - (SELECT is_active FROM part_states WHERE relationship_id = OLD.id),
        done_part_count = done_part_count - (SELECT is_done FROM part_states WHERE relationship_id = OLD.id)
    WHERE id = OLD.to_card_id AND EXISTS (SELECT 1 FROM part_states WHERE relationship_id = OLD.id);
END;

CREATE TRIGGER count_parts_on_relationship_insert AFTER INSERT ON relationships
WHEN NEW.kind = 'partOf'
BEGIN
    UPDATE cards
    SET
        part_count = part_count + (SELECT is_active FROM part_states WHERE relationship_id = NEW.id),
        done_part_count = done_part_count + (SELECT is_done FROM part_states WHERE relationship_id = NEW.id)
    WHERE id = NEW.to_card_id AND EXISTS (SELECT 1 FROM part_states WHERE relationship_id = NEW.id);
END;

CREATE TRIGGER count_parts_on_relationship_update AFTER UPDATE OF from_card_id, to_card_id, kind ON relationships
WHEN (OLD.kind = 'partOf' OR NEW.kind = 'partOf')
AND (NEW.kind <> OLD.kind OR NEW.from_card_id <> OLD.from_card_id OR NEW.to_card_id <> OLD.to_card_id)
BEGIN
    UPDATE cards
    SET
        part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_active),
        done_part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_done)
    WHERE id IN (OLD.to_card_id, NEW.to_card_id);
END;

CREATE TRIGGER open_blocker_on_relationship_insert AFTER INSERT ON relationships
WHEN NEW.blocking_card_id IS NOT NULL
BEGIN
    UPDATE relationships
    SET is_open = coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = NEW.id), 0)
    WHERE id = NEW.id;
END;

CREATE TRIGGER open_blocker_on_relationship_update AFTER UPDATE OF from_card_id, to_card_id, kind ON relationships
BEGIN
    UPDATE relationships
    SET is_open = coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = NEW.id), 0)
    WHERE id = NEW.id;
END;

CREATE TABLE removed_ids (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE retries (
    id TEXT PRIMARY KEY,                                         -- SHA-256 of who sent what where, with which Idempotency-Key
    org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE, -- null: a route outside any organization
    fingerprint TEXT NOT NULL,                                   -- SHA-256 of the query and the body
    answer TEXT NOT NULL,                                        -- encrypted at rest: it may hold a secret that is shown once
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX retries_by_age ON retries (created_at);

CREATE INDEX retries_by_organization ON retries (org_id);

CREATE TABLE search_backlog (                  -- cards to index that came in great numbers: no search waits for them
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    PRIMARY KEY (org_id, card_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_cards (
    number INTEGER PRIMARY KEY,
    active INTEGER NOT NULL,          -- neither the card nor its project is archived
    project_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL UNIQUE,
    parts INTEGER NOT NULL DEFAULT 0, -- rows in search_parts; 0: it has one in search_texts
    comments_part INTEGER             -- the last row in search_parts with comments; null: none
) STRICT;

CREATE INDEX search_cards_by_organization ON search_cards (org_id);

CREATE INDEX search_cards_by_project ON search_cards (project_id);

CREATE VIRTUAL TABLE search_parts USING fts5 (     -- rowid: search_cards.number << 18, plus the number of the row
    title,
    sources UNINDEXED,
    fields,
    comments,
    tokenize = 'unicode61 remove_diacritics 2',
    columnsize = 0
);

CREATE TABLE search_pending (                      -- texts that the running transaction has changed
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('title', 'value', 'comment')),
    source_id TEXT NOT NULL, -- of the field or the comment; '': it is the title
    PRIMARY KEY (org_id, card_id, kind, source_id)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE "search_texts" USING fts5 ( -- rowid: search_cards.number
    title,
    sources UNINDEXED,                             -- JSON: the ids of the fields and comments, in the order of their texts
    fields,
    comments,
    tokenize = 'unicode61 remove_diacritics 2',
    columnsize = 0
);

CREATE VIRTUAL TABLE search_titles USING fts5 (title, tokenize = 'trigram', detail = 'none');

CREATE TABLE search_values (                       -- where search_parts has the values of large cards
    number INTEGER NOT NULL,
    field_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    PRIMARY KEY (number, field_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "seen" (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    reader_type TEXT NOT NULL CHECK (reader_type IN ('User', 'Agent')),
    reader_id TEXT NOT NULL,          -- a person, an agent, or a key that acts as none
    card_id TEXT NOT NULL DEFAULT '', -- '': of the whole organization
    event_id INTEGER NOT NULL,
    PRIMARY KEY (org_id, reader_type, reader_id, card_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT REFERENCES organizations (id) ON DELETE SET NULL, -- of the newest token
    token_hash TEXT NOT NULL UNIQUE,                              -- HMAC-SHA256 of the refresh token, hexadecimal
    user_agent TEXT,
    created_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,                                     -- if the session is not used any more; at most ends_at
    ends_at TEXT NOT NULL                                         -- however much it is used
) STRICT;

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE INDEX sessions_by_organization ON sessions (org_id);

CREATE INDEX sessions_by_user ON sessions (user_id, last_seen_at);

CREATE TABLE shortcuts (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    action TEXT NOT NULL,
    binding TEXT NOT NULL,
    UNIQUE (user_id, action)
) STRICT;

CREATE TABLE team_members (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_members_by_user ON team_members (user_id);

CREATE TABLE teams (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    onboarding_doc TEXT,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT
) STRICT;

CREATE INDEX teams_by_organization ON teams (org_id, archived_at);

CREATE TRIGGER record_removal_from_teams AFTER DELETE ON teams
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TABLE transitions (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    from_column_id TEXT NOT NULL REFERENCES columns (id) ON DELETE CASCADE,
    to_column_id TEXT NOT NULL REFERENCES columns (id) ON DELETE CASCADE,
    requires_approval INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT, -- archived with its project
    archive_id TEXT,
    UNIQUE (from_column_id, to_column_id)
) STRICT;

CREATE INDEX transitions_by_destination ON transitions (to_column_id);

CREATE INDEX transitions_by_organization ON transitions (org_id);

CREATE INDEX transitions_by_project ON transitions (project_id);

CREATE TRIGGER expire_move_requests_on_transition_delete AFTER DELETE ON transitions
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE from_column_id = OLD.from_column_id AND to_column_id = OLD.to_column_id AND state = 'open';
END;

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

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,  -- the e-mail in lower case: sign-in ignores case
    full_name TEXT NOT NULL,
    avatar_url TEXT,
    password_hash TEXT NOT NULL,
    tokens_valid_from TEXT NOT NULL, -- tokens issued earlier are refused (a password change moves it)
    theme TEXT NOT NULL DEFAULT 'system',
    timezone TEXT NOT NULL DEFAULT 'UTC',
    created_at TEXT NOT NULL,
    handle TEXT NOT NULL DEFAULT '',
    password_reset_by TEXT,          -- name of the Solution Architect; null: a password of one's own
    password_reset_at TEXT
) STRICT;

CREATE UNIQUE INDEX users_by_handle ON users (handle);

CREATE TRIGGER end_sessions_on_token_revocation AFTER UPDATE OF tokens_valid_from ON users
BEGIN
    DELETE FROM sessions
    WHERE user_id = NEW.id;
END;

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,           -- JSON array of patterns
    secret TEXT NOT NULL,           -- encrypted
    enabled INTEGER NOT NULL,
    last_event_id INTEGER NOT NULL, -- up to here each event has been looked at
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX webhooks_by_organization ON webhooks (org_id, created_at, id);
