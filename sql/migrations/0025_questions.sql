-- Questions: a comment by which an agent asks a person; what became of it stands here, since comments never change.
BEGIN;

CREATE TABLE questions (
    comment_id TEXT PRIMARY KEY REFERENCES comments (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,                    -- the actor who asks: an agent, or a key that acts as none
    options TEXT,                              -- JSON array of answers to choose from; null: any
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'withdrawn')),
    answer_id TEXT,                            -- the reply by which it was answered
    answered_by TEXT,                          -- the actor as JSON
    answered_at TEXT,                          -- null: nobody has
    taken_up INTEGER NOT NULL DEFAULT 0,       -- whether the asker has claimed the card since it was answered
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX questions_open ON questions (card_id, agent_id) WHERE state = 'open';
CREATE INDEX questions_answered ON questions (org_id, agent_id, card_id) WHERE state = 'answered' AND taken_up = 0;
CREATE INDEX questions_by_card ON questions (card_id, created_at, comment_id);
CREATE INDEX questions_by_organization ON questions (org_id, created_at, comment_id);
CREATE INDEX questions_by_state ON questions (org_id, state, created_at, comment_id);
CREATE INDEX questions_by_agent ON questions (org_id, agent_id, state);

PRAGMA user_version = 25;
COMMIT;
