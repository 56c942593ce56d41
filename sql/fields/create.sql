-- Create a custom field. Its position must be free: run open_gap first.
INSERT INTO fields (
    id, org_id, card_type_id, name, label, kind, required, options, position, validation, multiple,
    show_on_card, option_colors, created_at
)
VALUES (
    :id, :org_id, :card_type_id, :name, :label, :kind, :required, :options, :position, :validation,
    :multiple, :show_on_card, :option_colors, :now
)
