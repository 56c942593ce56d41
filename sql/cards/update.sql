-- Update a card and increment its version.
UPDATE cards
SET
    title = :title,
    assigned_agent_id = :assigned_agent_id,
    assigned_user_id = :assigned_user_id,
    priority = :priority,
    due_date = :due_date,
    due_all_day = :due_all_day,
    card_type_id = :card_type_id,
    version = version + 1,
    updated_at = :now
WHERE id = :card_id
