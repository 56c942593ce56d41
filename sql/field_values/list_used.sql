-- The values of cards in shown fields with a choice of values, by field, the most frequent ones first.
WITH stored AS MATERIALIZED (
    -- Each list of values once, since most cards share theirs with others.
    SELECT v.field_id, v.value, count(*) AS cards
    FROM card_types AS t
    JOIN fields AS f ON f.card_type_id = t.id AND f.show_on_card
        AND f.kind IN ('select', 'multiselect', 'checkbox', 'user', 'agent')
    CROSS JOIN field_values AS v ON v.field_id = f.id
    WHERE t.org_id = :org_id AND t.archived_at IS NULL
    GROUP BY v.field_id, v.value
),

counted AS (
    SELECT
        s.field_id,
        item.value,
        row_number() OVER (PARTITION BY s.field_id ORDER BY sum(s.cards) DESC, item.value) AS place
    FROM stored AS s
    CROSS JOIN json_each(s.value) AS item
    GROUP BY s.field_id, item.value
)

SELECT field_id, json_group_array(value) AS "values"
FROM (
    SELECT field_id, value
    FROM counted
    WHERE place <= :limit
    ORDER BY field_id, place
)
GROUP BY field_id
