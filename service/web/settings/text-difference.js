// The difference between two texts, line by line.

const LINES_MAX = 2000; // in the part that differs; larger ones are shown as removed and added as a whole

/** Compare two texts; return the lines in order: [{kind: "same" | "gone" | "new", text}]. */
export function compareLines(before, after) {
  const [oldLines, newLines] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < oldLines.length && start < newLines.length && oldLines[start] === newLines[start]) start += 1;
  let end = 0;
  const longest = Math.min(oldLines.length, newLines.length) - start;
  while (end < longest && oldLines.at(-1 - end) === newLines.at(-1 - end)) end += 1;
  const middle = compareMiddle(oldLines.slice(start, oldLines.length - end), newLines.slice(start, newLines.length - end));
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  return [...same(oldLines.slice(0, start)), ...middle, ...same(end ? oldLines.slice(-end) : [])];
}

/** Return the longest common subsequence of lines; LINES_MAX bounds the table. */
function compareMiddle(oldLines, newLines) {
  const removed = (text) => ({ kind: "gone", text });
  const added = (text) => ({ kind: "new", text });
  if (oldLines.length * newLines.length > LINES_MAX * LINES_MAX) return [...oldLines.map(removed), ...newLines.map(added)];
  const width = newLines.length + 1;
  const longest = new Uint16Array((oldLines.length + 1) * width);
  for (let i = oldLines.length - 1; i >= 0; i -= 1)
    for (let j = newLines.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        oldLines[i] === newLines[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const result = [];
  let [i, j] = [0, 0];
  while (i < oldLines.length && j < newLines.length) {
    if (oldLines[i] === newLines[j]) result.push({ kind: "same", text: oldLines[(i++, j++, i - 1)] });
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) result.push(removed(oldLines[i++]));
    else result.push(added(newLines[j++]));
  }
  return [...result, ...oldLines.slice(i).map(removed), ...newLines.slice(j).map(added)];
}
