-- Create a card.
INSERT INTO cards (
    id, org_id, project_id, number, column_id, card_type_id, title, assigned_agent_id, assigned_user_id,
    priority, due_date, due_all_day, rank_key, version, created_by, created_at, updated_at
)
VALUES (
    :id, :org_id, :project_id, :number, :column_id, :card_type_id, :title, :assigned_agent_id, :assigned_user_id,
    :priority, :due_date, :due_all_day, :rank_key, 1, :created_by, :now, :now
)
