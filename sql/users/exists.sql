-- Whether there is any user yet.
SELECT EXISTS (SELECT 1 FROM users)
