// The filter of a board or of the search, stored in the query of the address: the filters of a list of cards, by their names.

import { pageUrl } from "../../core/base-path.js";

const VALUE_KEYS = ["assignedUserId", "assignedAgentId", "cardTypeId", "priority", "due", "field"]; // any of their values
const TEXT_KEYS = ["updatedSince", "q"];
// Of links from before; `who` was a person or an agent.
const FORMER_KEYS = { __proto__: null, type: "cardTypeId", prio: "priority" };
const FORMER_VALUES = { __proto__: null, late: "overdue" };

/**
 * Return the filter in the query of an address, or null: lists of values, also of the keys `others`, and texts.
 * @param {URLSearchParams} query
 * @param {string[]} [others]
 * @returns {Record<string, any> | null}
 */
export function parseFilter(query, others = []) {
  const found = { __proto__: null };
  for (const [key, value] of query) {
    const name = key === "who" ? (value.startsWith("usr_") ? "assignedUserId" : "assignedAgentId") : (FORMER_KEYS[key] ?? key);
    if (value && TEXT_KEYS.includes(name)) found[name] = value;
    if (value && (VALUE_KEYS.includes(name) || others.includes(name)))
      found[name] = [...new Set([...(found[name] ?? []), FORMER_VALUES[value] ?? value])];
  }
  return Object.keys(found).length ? found : null;
}

/** Return a filter as the query of an address. */
export function filterQuery(filter) {
  const pairs = Object.entries(filter ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const query = new URLSearchParams(pairs.filter(([, value]) => value));
  return query.size ? `?${query}` : "";
}

/** Return the address of a search over all boards. */
export function searchUrl(filter) {
  return pageUrl("/search") + filterQuery(filter);
}

/** Return whether a filter has a value. */
export function hasFilterValue(filter, name, value) {
  return [filter?.[name] ?? []].flat().includes(value);
}

/** Return a filter with one value added, or removed if it was there; null if it is empty then. */
export function toggleFilter(filter, name, value) {
  const { [name]: before = [], ...others } = filter ?? {};
  const isSet = hasFilterValue(filter, name, value);
  const after = TEXT_KEYS.includes(name) ? value : [...before, value];
  const changed = isSet ? [before].flat().filter((one) => one !== value) : after;
  const result = changed.length ? { ...others, [name]: changed } : others;
  return Object.keys(result).length ? result : null;
}
