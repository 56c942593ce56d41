// The difference between two texts, line by line.

const LINES_MAX = 2000; // in the part that differs; larger ones are shown as removed and added as a whole

/** Compare two texts; return the lines in order: [{kind: "same" | "gone" | "new", text}]. */
export function compareLines(before, after) {
  const [one, two] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < two.length - start && one.at(-1 - end) === two.at(-1 - end)) end += 1;
  const middle = compareMiddle(one.slice(start, one.length - end), two.slice(start, two.length - end));
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  return [...same(one.slice(0, start)), ...middle, ...same(end ? one.slice(-end) : [])];
}

/** Return the longest common subsequence of lines; LINES_MAX bounds the table. */
function compareMiddle(one, two) {
  const gone = (text) => ({ kind: "gone", text });
  const fresh = (text) => ({ kind: "new", text });
  if (one.length * two.length > LINES_MAX * LINES_MAX) return [...one.map(gone), ...two.map(fresh)];
  const width = two.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = two.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        one[i] === two[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < one.length && j < two.length) {
    if (one[i] === two[j]) found.push({ kind: "same", text: one[(i++, j++, i - 1)] });
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) found.push(gone(one[i++]));
    else found.push(fresh(two[j++]));
  }
  return [...found, ...one.slice(i).map(gone), ...two.slice(j).map(fresh)];
}
