// The order of cards in a column.

/** Insert changed cards into an order. `below` maps the id of a card (null: the top) to the id of the card below it. */
export function mergeOrder(unchanged, below) {
  const order = [];
  const rest = new Map(below);
  const chain = (above) => {
    for (let id = rest.get(above); id !== undefined; id = rest.get(id)) {
      rest.delete(above);
      order.push(id);
      above = id;
    }
  };
  chain(null);
  for (const id of unchanged) {
    order.push(id);
    chain(id);
  }
  return [...order, ...rest.values()]; // their predecessor is missing here; the next refresh corrects the order
}

/** Return an order with a card moved below another (null: to the top, undefined: to the end). */
export function placeCard(order, id, above) {
  const others = order.filter((other) => other !== id);
  const at = above === undefined ? others.length : above === null ? 0 : others.indexOf(above) + 1;
  others.splice(above && at === 0 ? others.length : at, 0, id);
  return others;
}

/** Return the id of the card above another, or null for the first. */
export function cardAbove(order, id) {
  return order[order.indexOf(id) - 1] ?? null;
}
