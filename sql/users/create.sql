-- Create a user.
INSERT INTO users (id, email, email_key, full_name, handle, password_hash, tokens_valid_from, created_at)
VALUES (:id, :email, :email_key, :full_name, :handle, :password_hash, :now, :now)
