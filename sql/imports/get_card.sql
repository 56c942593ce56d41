-- The card with an id, of any organization.
SELECT
    id, org_id, project_id, number, column_id, card_type_id, title, assigned_agent_id, assigned_user_id, priority,
    due_date, due_all_day, rank_key, version, created_by, created_at, updated_at, archived_at, archived_by, archive_id
FROM cards
WHERE id = :id
