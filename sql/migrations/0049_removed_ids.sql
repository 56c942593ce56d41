-- Ids of what an organization has removed, so that a filter that names it finds nothing instead of being an error.
BEGIN;

CREATE TABLE removed_ids (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER record_removal_from_agents AFTER DELETE ON agents
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_memberships AFTER DELETE ON memberships
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.user_id);
END;

CREATE TRIGGER record_removal_from_teams AFTER DELETE ON teams
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_projects AFTER DELETE ON projects
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_columns AFTER DELETE ON columns
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_card_types AFTER DELETE ON card_types
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_prompt_categories AFTER DELETE ON prompt_categories
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

CREATE TRIGGER record_removal_from_api_keys AFTER DELETE ON api_keys
WHEN EXISTS (SELECT 1 FROM organizations WHERE id = OLD.org_id)
BEGIN
    INSERT OR IGNORE INTO removed_ids (org_id, id) VALUES (OLD.org_id, OLD.id);
END;

-- Those who acted here and are no longer here; of other things that were removed before, nothing is known.
INSERT OR IGNORE INTO removed_ids (org_id, id)
SELECT DISTINCT h.org_id, h.actor_id
FROM history AS h
JOIN organizations AS o ON o.id = h.org_id
WHERE
    (
        h.actor_type = 'User'
        AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.org_id = h.org_id AND m.user_id = h.actor_id)
    )
    OR (
        h.actor_type = 'Agent'
        AND NOT EXISTS (SELECT 1 FROM agents AS a WHERE a.org_id = h.org_id AND a.id = h.actor_id)
        AND NOT EXISTS (SELECT 1 FROM api_keys AS k WHERE k.id = h.actor_id)
    );

PRAGMA user_version = 49;
COMMIT;
