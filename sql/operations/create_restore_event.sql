-- Create the event of a restore, of no organization: at the next multiple of 1,000,000, so that further ids continue there.
INSERT INTO events (id, org_id, type, actor_type, actor_id, created_at)
SELECT (max(coalesce(max(seq), 0), :last_id) / 1000000 + 1) * 1000000, '', 'service.restored', 'System', 'system', :now
FROM sqlite_sequence
WHERE name = 'events'
