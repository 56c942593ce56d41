// Ticks of others that come while a text with checklists is being written.

/** Return `mine` with the ticks by which `theirs` differs from `seen`; null for other differences or missing items. */
export function mergeTicks(seen, mine, theirs) {
  const [before, merged, after] = [seen, mine, theirs].map((text) => (text ?? "").split(/\r\n?|\n/));
  const own = [...merged];
  if (before.length !== after.length) return null;
  for (const [at, line] of after.entries()) {
    if (line === before[at]) continue;
    const place = findSame(before, own, at);
    if (place === undefined || untick(line) !== untick(before[at])) return null;
    merged[place] = line;
  }
  return merged.join("\n");
}

function untick(line) {
  return line.replace(/\[x\]/gi, "[ ]");
}

/** Return the place in `own` of a line of `before`, if both have the same number of such lines. */
function findSame(before, own, at) {
  const text = before[at].trimEnd(); // the last line of what is saved ends without blanks
  const listPlaces = (lines) => [...lines.keys()].filter((place) => lines[place].trimEnd() === text);
  const [places, ownPlaces] = [before, own].map(listPlaces);
  return places.length === ownPlaces.length ? ownPlaces[places.indexOf(at)] : undefined;
}
