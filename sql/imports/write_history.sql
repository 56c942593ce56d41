-- Write a history row that tells no more than its changes; one that is there stays as it is.
-- Where an archived or restored card stood is told by the passage before.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, created_at,
    column_change, from_column_id, to_column_id, column_changed_ms
)
WITH kind AS (
    SELECT
        CASE
            WHEN :action <> 'undone' THEN :action
            WHEN :changes ->> '$.archivedAt.to' IS NOT NULL THEN 'archived'
            WHEN json_type(:changes, '$.archivedAt') IS NOT NULL THEN 'restored'
            WHEN json_type(:changes, '$.columnId') IS NOT NULL THEN 'moved'
        END AS deed
),

change AS (
    SELECT
        CASE
            WHEN deed IN ('moved', 'created', 'archived') THEN deed
            WHEN deed = 'restored' AND :changes ->> '$.columnId.to' IS NULL THEN 'returned'
            WHEN deed = 'restored' THEN 'restored'
            WHEN deed = 'imported' AND :changes ->> '$.columnId.to' IS NOT NULL THEN 'imported'
        END AS column_change,
        CASE
            WHEN deed IN ('moved', 'created') THEN :changes ->> '$.columnId.from'
            WHEN deed IN ('archived', 'imported') THEN (
                    SELECT h.to_column_id
                    FROM history AS h
                    WHERE h.card_id = :card_id AND h.column_change IS NOT NULL AND (h.created_at, h.id) < (:created_at, :id)
                    ORDER BY h.created_at DESC, h.id DESC
                    LIMIT 1
                )
        END AS from_column_id,
        CASE
            WHEN deed = 'restored' THEN coalesce(
                :changes ->> '$.columnId.to',
                (
                    SELECT h.to_column_id
                    FROM history AS h
                    WHERE
                        h.card_id = :card_id
                        AND h.to_column_id IS NOT NULL
                        AND (h.created_at, h.id) < (:created_at, :id)
                    ORDER BY h.created_at DESC, h.id DESC
                    LIMIT 1
                ),
                (SELECT c.column_id FROM cards AS c WHERE c.id = :card_id)
            )
            WHEN deed <> 'archived' THEN :changes ->> '$.columnId.to'
        END AS to_column_id
    FROM kind
)

SELECT
    :id,
    :org_id,
    :card_id,
    :actor_type,
    :actor_id,
    :actor_label,
    :action,
    :changes,
    :created_at,
    column_change,
    CASE WHEN column_change IS NOT NULL THEN from_column_id END,
    CASE WHEN column_change IS NOT NULL THEN to_column_id END,
    CASE WHEN column_change IS NOT NULL THEN CAST(round((julianday(:created_at) - 2440587.5) * 86400000) AS INTEGER) END
FROM change
WHERE true -- SQLite would read ON as part of a join
ON CONFLICT (id) DO NOTHING
