-- Events say what they are about: the agent, column, member, request or comment, not only the card and the project.
BEGIN;

ALTER TABLE events ADD COLUMN about TEXT;      -- JSON object of further ids by their names on the wire; null: none

DROP VIEW encoded_events;

-- An event as it goes over the wire: what it is not about is left out.
CREATE VIEW encoded_events AS
SELECT
    id,
    org_id,
    '{"id":"' || id || '","type":' || json_quote(type)
    || CASE WHEN card_id IS NULL THEN '' ELSE ',"cardId":' || json_quote(card_id) END
    || CASE WHEN project_id IS NULL THEN '' ELSE ',"projectId":' || json_quote(project_id) END
    || CASE WHEN about IS NULL THEN '' ELSE ',' || substr(about, 2, length(about) - 2) END
    || ',"actor":' || json_object('type', actor_type, 'id', actor_id, 'label', actor_label)
    || ',"at":' || json_quote(created_at) || '}' AS text
FROM events;

PRAGMA user_version = 16;
COMMIT;
