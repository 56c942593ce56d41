-- Insert a history row of a snapshot and derive its column change. An existing one stays unchanged.
-- The column of a card that is archived or restored is taken from its previous column change.
INSERT INTO history (
    id, org_id, card_id, actor_type, actor_id, actor_label, action, changes, imported, created_at,
    column_change, from_column_id, to_column_id, column_changed_ms
)
WITH effective AS (
    SELECT
        CASE
            WHEN :action <> 'undone' THEN :action
            WHEN json_type(:changes, '$.projectId') IS NOT NULL THEN 'transferred'
            WHEN :changes ->> '$.archivedAt.to' IS NOT NULL THEN 'archived'
            WHEN json_type(:changes, '$.archivedAt') IS NOT NULL THEN 'restored'
            WHEN json_type(:changes, '$.columnId') IS NOT NULL THEN 'moved'
        END AS effective_action
),

change AS (
    SELECT
        CASE
            WHEN effective_action IN ('moved', 'transferred', 'created', 'archived') THEN effective_action
            WHEN effective_action = 'restored' AND :changes ->> '$.columnId.to' IS NULL THEN 'returned'
            WHEN effective_action = 'restored' THEN 'restored'
            WHEN effective_action = 'imported' AND :changes ->> '$.columnId.to' IS NOT NULL THEN 'imported'
        END AS column_change,
        CASE
            WHEN effective_action IN ('moved', 'transferred', 'created') THEN :changes ->> '$.columnId.from'
            WHEN effective_action IN ('archived', 'imported') THEN (
                    SELECT h.to_column_id
                    FROM history AS h
                    WHERE
                        h.card_id = :card_id
                        AND h.column_change IS NOT NULL
                        AND (h.created_at, h.id) < (:created_at, :id)
                    ORDER BY h.created_at DESC, h.id DESC
                    LIMIT 1
                )
        END AS from_column_id,
        CASE
            WHEN effective_action = 'restored' THEN coalesce(
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
            WHEN effective_action <> 'archived' THEN :changes ->> '$.columnId.to'
        END AS to_column_id
    FROM effective
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
    coalesce(:imported, :action <> 'imported'), -- an import that an earlier version has begun does not say it
    :created_at,
    column_change,
    CASE WHEN column_change IS NOT NULL THEN from_column_id END,
    CASE WHEN column_change IS NOT NULL THEN to_column_id END,
    CASE WHEN column_change IS NOT NULL THEN CAST(round((julianday(:created_at) - 2440587.5) * 86400000) AS INTEGER) END
FROM change
WHERE true -- SQLite would read ON as part of a join
ON CONFLICT (id) DO NOTHING
