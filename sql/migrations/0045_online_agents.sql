-- An agent is online while it calls: until 10 minutes after its last request, or until it says that it is offline.
BEGIN;

-- '': it is offline
ALTER TABLE agents ADD COLUMN online_until TEXT NOT NULL GENERATED ALWAYS AS (
    CASE
        WHEN is_online = 1 AND status = 'approved'
            THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', last_seen_at, '+10 minutes'), '')
        ELSE ''
    END
) VIRTUAL;

PRAGMA user_version = 45;
COMMIT;
