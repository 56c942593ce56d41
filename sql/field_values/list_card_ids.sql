-- The ids of the cards that have one of the given values for each given name of a field, as a JSON list.
WITH stored AS MATERIALIZED (
    -- Each value once, since folding costs the most.
    SELECT DISTINCT f.value ->> 0 AS field_id, f.value ->> 1 AS name, v.value
    FROM json_each(:fields) AS f
    CROSS JOIN field_values AS v ON v.field_id = f.value ->> 0
),

matching AS MATERIALIZED (
    SELECT DISTINCT s.field_id, s.name, s.value
    FROM stored AS s
    CROSS JOIN json_each(s.value) AS item
    WHERE (s.name, fold(item.value)) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:values))
)

SELECT json_group_array(card_id)
FROM (
    SELECT v.card_id
    FROM (SELECT DISTINCT field_id FROM matching) AS f
    CROSS JOIN field_values AS v ON v.field_id = f.field_id
    CROSS JOIN matching AS m ON m.field_id = v.field_id AND m.value = v.value
    GROUP BY v.card_id
    HAVING count(DISTINCT m.name) = :names
)
