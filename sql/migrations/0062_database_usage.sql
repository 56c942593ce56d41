-- How many bytes of the database each organization uses: an estimate, which units of work continue. It begins with the
-- lengths of titles, values, comments and history. Who uses more than the default quota already is exempt from it.
BEGIN;

CREATE TABLE database_usage (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    used_bytes INTEGER NOT NULL,
    is_exempt INTEGER NOT NULL DEFAULT 0  -- from the default quota, until it uses less than that
) STRICT, WITHOUT ROWID;

INSERT INTO database_usage (org_id, used_bytes, is_exempt)
SELECT o.id, coalesce(sum(texts.bytes), 0), coalesce(sum(texts.bytes), 0) > 10737418240
FROM organizations AS o
LEFT JOIN (
    SELECT org_id, sum(length(CAST(title AS BLOB))) AS bytes FROM cards GROUP BY org_id
    UNION ALL
    SELECT c.org_id, sum(length(CAST(v.value AS BLOB))) AS bytes
    FROM field_values AS v
    JOIN cards AS c ON c.id = v.card_id
    GROUP BY c.org_id
    UNION ALL
    SELECT org_id, sum(length(CAST(content AS BLOB))) AS bytes FROM comments GROUP BY org_id
    UNION ALL
    SELECT org_id, sum(length(CAST(changes AS BLOB))) AS bytes FROM history GROUP BY org_id
) AS texts ON texts.org_id = o.id
GROUP BY o.id;

PRAGMA user_version = 62;
COMMIT;
