-- The people and agents that a comment mentions, in the order of its text, as JSON, without those who have left.
SELECT json_group_array(json_object('type', type, 'id', id, 'label', label))
FROM comment_mentions
WHERE comment_id = :comment_id AND label IS NOT NULL
