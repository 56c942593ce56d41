-- The foundation: who there is, how a board is shaped, and what stands on it.
BEGIN;

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,            -- the e-mail in lower case: sign-in ignores case
    full_name TEXT NOT NULL,
    avatar_url TEXT,
    password_hash TEXT NOT NULL,
    tokens_valid_from TEXT NOT NULL,           -- tokens issued earlier are refused (a password change moves it)
    theme TEXT NOT NULL DEFAULT 'system',
    timezone TEXT NOT NULL DEFAULT 'UTC',
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    color TEXT NOT NULL,
    owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,                          -- the actor as JSON
    archive_id TEXT                            -- the archive operation that took the row away
) STRICT;

CREATE INDEX organizations_by_owner ON organizations (owner_id);

CREATE TABLE memberships (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('SolutionArchitect', 'Member')),
    created_at TEXT NOT NULL,
    PRIMARY KEY (user_id, org_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memberships_by_organization ON memberships (org_id, role);

CREATE TABLE permissions (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    resource TEXT NOT NULL,
    actions TEXT NOT NULL,                     -- JSON array of action names
    UNIQUE (org_id, role, resource)
) STRICT;

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

CREATE TABLE team_members (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_members_by_user ON team_members (user_id);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL,                        -- SHA-256 of the whole key, hexadecimal
    team_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
    agent_id TEXT,                             -- the one agent that may use it; null: any
    enabled INTEGER NOT NULL DEFAULT 1,
    expires_at TEXT,
    last_used_at TEXT,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX api_keys_by_organization ON api_keys (org_id);
CREATE INDEX api_keys_by_team ON api_keys (team_id);

CREATE TABLE agents (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,                          -- chosen by the agent
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
    PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_by_key ON agents (key_id);
CREATE INDEX agents_by_team ON agents (team_id);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    color TEXT NOT NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT
) STRICT;

CREATE INDEX projects_by_organization ON projects (org_id, archived_at);

CREATE TABLE columns (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    position INTEGER NOT NULL,                 -- dense and 0-based among the active columns of the project
    agent_pickup_enabled INTEGER NOT NULL,
    agent_can_moderate INTEGER NOT NULL,
    column_type TEXT NOT NULL CHECK (column_type IN ('standard', 'done')),
    wip_limit INTEGER,
    required_field_ids TEXT NOT NULL,          -- JSON array
    created_at TEXT NOT NULL,
    archived_at TEXT,                          -- deleted alone, or archived with its project
    archived_by TEXT,
    archive_id TEXT
) STRICT;

CREATE INDEX columns_by_project ON columns (project_id, archived_at, position);
CREATE INDEX columns_by_organization ON columns (org_id, archived_at);

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

CREATE TABLE fields (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_type_id TEXT NOT NULL REFERENCES card_types (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    required INTEGER NOT NULL,
    options TEXT NOT NULL,                     -- JSON array
    position INTEGER NOT NULL,
    validation TEXT,                           -- an RE2 pattern
    multiple INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (card_type_id, name)
) STRICT;

CREATE INDEX fields_by_organization ON fields (org_id);

CREATE TABLE transitions (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    from_column_id TEXT NOT NULL REFERENCES columns (id) ON DELETE CASCADE,
    to_column_id TEXT NOT NULL REFERENCES columns (id) ON DELETE CASCADE,
    requires_approval INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    archived_at TEXT,                          -- archived with its project
    archive_id TEXT,
    UNIQUE (from_column_id, to_column_id)
) STRICT;

CREATE INDEX transitions_by_project ON transitions (project_id);
CREATE INDEX transitions_by_organization ON transitions (org_id);
CREATE INDEX transitions_by_destination ON transitions (to_column_id);

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
    rank_key INTEGER NOT NULL,                 -- sorts a column, with gaps; the rank shown is counted from it
    version INTEGER NOT NULL,
    created_by TEXT NOT NULL,                  -- the actor as JSON
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    archived_at TEXT,
    archived_by TEXT,
    archive_id TEXT
) STRICT;

CREATE INDEX cards_by_column ON cards (column_id, archived_at, rank_key, id);
CREATE INDEX cards_by_project ON cards (project_id, archived_at);
CREATE INDEX cards_by_organization ON cards (org_id, archived_at);
CREATE INDEX cards_by_type ON cards (card_type_id, archived_at);
CREATE INDEX cards_by_agent ON cards (org_id, assigned_agent_id, archived_at);
CREATE INDEX cards_by_user ON cards (assigned_user_id, archived_at);

CREATE TABLE field_values (
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL,                       -- JSON: a string or a list of strings
    PRIMARY KEY (card_id, field_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX field_values_by_field ON field_values (field_id);

CREATE TABLE comments (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    parent_id TEXT REFERENCES comments (id) ON DELETE CASCADE, -- null: not a reply
    content TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX comments_by_card ON comments (card_id, parent_id, created_at, id);
CREATE INDEX comments_by_parent ON comments (parent_id, created_at, id);

CREATE TABLE history (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    actor_type TEXT NOT NULL CHECK (actor_type IN ('User', 'Agent', 'System')),
    actor_id TEXT NOT NULL,
    actor_label TEXT,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,                     -- JSON: field name -> {from, to}
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX history_by_card ON history (card_id, created_at, id);

-- History and comments are append-only. A row leaves only with its card: the card
-- row is gone by the time the cascade reaches these triggers.
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TRIGGER history_leaves_with_its_card BEFORE DELETE ON history
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

CREATE TRIGGER comments_are_append_only BEFORE UPDATE ON comments
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER comments_leave_with_their_card BEFORE DELETE ON comments
WHEN EXISTS (SELECT 1 FROM cards WHERE cards.id = OLD.card_id)
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

PRAGMA user_version = 1;
COMMIT;
