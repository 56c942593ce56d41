-- Revert a card to earlier values and increment its version.
UPDATE cards
SET
    project_id = :project_id,
    number = :number,
    title = :title,
    assigned_agent_id = :assigned_agent_id,
    assigned_user_id = :assigned_user_id,
    priority = :priority,
    due_date = :due_date,
    due_all_day = :due_all_day,
    card_type_id = :card_type_id,
    column_id = :column_id,
    rank_key = coalesce(:rank_key, rank_key),
    archived_at = :archived_at,
    archived_by = :archived_by,
    archive_id = :archive_id,
    version = version + 1,
    updated_at = :now
WHERE id = :card_id
