-- Upsert a card of a snapshot. A redo log of an earlier version does not say whether midnight UTC means the day.
INSERT INTO cards (
    id, org_id, project_id, number, column_id, card_type_id, title, assigned_agent_id, assigned_user_id, priority,
    due_date, due_all_day, rank_key, version, created_by, created_at, updated_at, archived_at, archived_by, archive_id
)
VALUES (
    :id, :org_id, :project_id, :number, :column_id, :card_type_id, :title, :assigned_agent_id, :assigned_user_id,
    :priority, :due_date, coalesce(:due_all_day, :due_date LIKE '____-__-__T00:00:00.000Z', 0), :rank_key, :version,
    :created_by, :created_at, :updated_at, :archived_at, :archived_by, :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    project_id = excluded.project_id,
    number = excluded.number,
    column_id = excluded.column_id,
    card_type_id = excluded.card_type_id,
    title = excluded.title,
    assigned_agent_id = excluded.assigned_agent_id,
    assigned_user_id = excluded.assigned_user_id,
    priority = excluded.priority,
    due_date = excluded.due_date,
    due_all_day = excluded.due_all_day,
    rank_key = excluded.rank_key,
    version = excluded.version,
    created_by = excluded.created_by,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at,
    archived_at = excluded.archived_at,
    archived_by = excluded.archived_by,
    archive_id = excluded.archive_id
WHERE cards.org_id = excluded.org_id
