// The order of cards in a column.

/** Put cards behind those that they are said to stand behind: `above` is a map from an id (null: top) to the one below. */
export function mergeOrder(kept, below) {
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
  for (const id of kept) {
    order.push(id);
    chain(id);
  }
  return [...order, ...rest.values()]; // behind a card that is not known here; the next look puts that right
}

/** Put one card right behind another (null: to the top, undefined: to the end). */
export function placeCard(order, id, above) {
  const others = order.filter((other) => other !== id);
  const at = above === undefined ? others.length : above === null ? 0 : others.indexOf(above) + 1;
  others.splice(above && at === 0 ? others.length : at, 0, id);
  return others;
}

/** Give the card right above another (null: it is the first). */
export function cardAbove(order, id) {
  return order[order.indexOf(id) - 1] ?? null;
}
