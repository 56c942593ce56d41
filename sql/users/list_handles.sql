-- The handles that are a given one, or that one with something behind a hyphen ('.' follows '-').
SELECT handle
FROM users
WHERE handle = :handle OR (handle > :handle || '-' AND handle < :handle || '.')
