-- Titles, names and tags are in NFC: a name that is typed in another form is then the same name, character by character.
-- A name that exists in NFC already keeps its form beside it. Folded titles replace those in the index of substrings.
BEGIN;

UPDATE organizations
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE users
SET full_name = nfc(full_name)
WHERE full_name <> nfc(full_name);

UPDATE teams
SET name = nfc(name)
WHERE name <> nfc(name);

UPDATE agents
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE projects
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE columns
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE card_types
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE fields
SET label = nfc(label)
WHERE label <> nfc(label);

UPDATE fields
SET options = nfc(options)
WHERE options <> nfc(options);

UPDATE fields
SET option_colors = nfc(option_colors)
WHERE option_colors <> nfc(option_colors);

UPDATE cards
SET title = nfc(title)
WHERE title <> nfc(title);

UPDATE field_values
SET value = nfc(value)
WHERE field_id IN (SELECT id FROM fields WHERE kind IN ('select', 'multiselect')) AND value <> nfc(value);

UPDATE OR IGNORE preset_fields
SET preset_name = nfc(preset_name)
WHERE preset_name <> nfc(preset_name);

UPDATE preset_fields
SET value = nfc(value)
WHERE field_id IN (SELECT id FROM fields WHERE kind IN ('select', 'multiselect')) AND value <> nfc(value);

UPDATE prompt_categories
SET name = nfc(name)
WHERE name <> nfc(name);

UPDATE prompts
SET name = nfc(name)
WHERE name <> nfc(name);

UPDATE OR IGNORE prompt_versions
SET label = nfc(label)
WHERE label <> nfc(label);

UPDATE OR IGNORE mcp_servers
SET name = nfc(name)
WHERE name <> nfc(name);

UPDATE api_keys
SET name = nfc(name)
WHERE name <> nfc(name);

-- ASCII titles are found by the index as they are, since it ignores their case.
INSERT INTO search_backlog (org_id, card_id)
SELECT org_id, id
FROM cards
WHERE title GLOB '*[^ -~]*'
ON CONFLICT (org_id, card_id) DO NOTHING;

INSERT INTO search_backlog (org_id, card_id)
SELECT org_id, card_id
FROM search_pending
WHERE true
ON CONFLICT (org_id, card_id) DO NOTHING;

DELETE FROM search_pending;

PRAGMA user_version = 48;
COMMIT;
