-- What the specification has besides cards that move: relations, prompts, tool servers, files, presets, shortcuts.
BEGIN;

ALTER TABLE columns ADD COLUMN rejects_blocked INTEGER NOT NULL DEFAULT 0;

CREATE TABLE relationships (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    from_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    to_card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('blocks', 'dependsOn', 'duplicates', 'relatesTo')),
    comment TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (from_card_id, to_card_id, kind)
) STRICT;

CREATE INDEX relationships_by_destination ON relationships (to_card_id, kind);
CREATE INDEX relationships_by_organization ON relationships (org_id, created_at, id);

CREATE TABLE prompt_categories (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX prompt_categories_by_organization ON prompt_categories (org_id, created_at);

CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    category_id TEXT REFERENCES prompt_categories (id) ON DELETE SET NULL,
    current_version_id TEXT,                   -- the one active version; null: none
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE INDEX prompts_by_organization ON prompts (org_id, archived_at, name);
CREATE INDEX prompts_by_category ON prompts (category_id);

CREATE TABLE prompt_versions (
    id TEXT PRIMARY KEY,
    prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    body TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (prompt_id, label)
) STRICT;

CREATE TABLE mcp_servers (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    transport TEXT NOT NULL CHECK (transport IN ('stdio', 'http')),
    command TEXT,
    args TEXT NOT NULL,                        -- JSON array
    env TEXT NOT NULL,                         -- JSON object: name -> encrypted value
    url TEXT,
    auth_kind TEXT,
    auth_token TEXT,                           -- encrypted
    enabled INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (org_id, name)
) STRICT;

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    uploaded_at TEXT NOT NULL
) STRICT;

CREATE INDEX files_by_card ON files (card_id, field_id, uploaded_at, id);
CREATE INDEX files_by_field ON files (field_id);
CREATE INDEX files_by_organization ON files (org_id);

CREATE TABLE preset_fields (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_type_id TEXT NOT NULL REFERENCES card_types (id) ON DELETE CASCADE,
    preset_name TEXT NOT NULL,
    field_id TEXT NOT NULL REFERENCES fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL,                       -- JSON: a string or a list of strings
    UNIQUE (card_type_id, preset_name, field_id)
) STRICT;

CREATE INDEX preset_fields_by_organization ON preset_fields (org_id);
CREATE INDEX preset_fields_by_field ON preset_fields (field_id);

CREATE TABLE shortcuts (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    action TEXT NOT NULL,
    binding TEXT NOT NULL,
    UNIQUE (user_id, action)
) STRICT;

CREATE INDEX cards_by_operation ON cards (archive_id) WHERE archive_id IS NOT NULL;

PRAGMA user_version = 2;
COMMIT;
