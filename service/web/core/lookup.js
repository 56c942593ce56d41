// Look-ups in objects that answers of the service use as tables, by keys that people choose.

/**
 * Return the value of an own key of an object, or undefined: `object[key]` would also find what every object inherits, such as
 * `constructor`. A missing object has no keys.
 * @template T
 * @param {Record<string, T> | null | undefined} object
 * @param {string} key
 * @returns {T | undefined}
 */
export function lookUp(object, key) {
  return object && Object.hasOwn(object, key) ? object[key] : undefined;
}
