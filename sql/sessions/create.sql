-- Create a session.
INSERT INTO sessions (id, user_id, org_id, token_hash, user_agent, created_at, last_seen_at, expires_at, ends_at)
VALUES (:id, :user_id, :org_id, :token_hash, :user_agent, :now, :now, :expires_at, :ends_at)
