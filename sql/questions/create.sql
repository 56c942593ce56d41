-- Create the question of a comment.
INSERT INTO questions (comment_id, org_id, card_id, agent_id, options, state, created_at)
VALUES (:comment_id, :org_id, :card_id, :agent_id, :options, 'open', :now)
