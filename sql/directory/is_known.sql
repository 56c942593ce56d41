-- Whether the value of a filter is the id of something that an organization has, archived or not, or has removed.
SELECT
    CASE :filter
        WHEN 'project_id' THEN EXISTS (SELECT 1 FROM projects WHERE id = :id AND org_id = :org_id)
        WHEN 'column_id' THEN EXISTS (SELECT 1 FROM columns WHERE id = :id AND org_id = :org_id)
        WHEN 'card_type_id' THEN EXISTS (SELECT 1 FROM card_types WHERE id = :id AND org_id = :org_id)
        WHEN 'category_id' THEN EXISTS (SELECT 1 FROM prompt_categories WHERE id = :id AND org_id = :org_id)
        WHEN 'team_id' THEN EXISTS (SELECT 1 FROM teams WHERE id = :id AND org_id = :org_id)
        WHEN 'assigned_user_id' THEN EXISTS (SELECT 1 FROM memberships WHERE user_id = :id AND org_id = :org_id)
        ELSE
            EXISTS (SELECT 1 FROM agents WHERE id = :id AND org_id = :org_id)
            OR EXISTS (SELECT 1 FROM api_keys WHERE id = :id AND org_id = :org_id)
    END
    OR EXISTS (SELECT 1 FROM removed_ids WHERE id = :id AND org_id = :org_id)
