// The versions of a prompt: read, compared with each other, made active, and followed by a new one.

import { get, now, patch, post } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { age } from "../core/words.js";
import { openDialog } from "./float.js";
import { askFor, attempt, button } from "./form.js";

const address = ({ id }, rest = "") => `/prompts/${encodeURIComponent(id)}/versions${rest}`;

/** Show the versions of a prompt until the person is done. */
export async function showVersions(prompt) {
  const read = () => get(`/prompts/${encodeURIComponent(prompt.id)}`);
  let found = await attempt(read, { failed: "The versions cannot be shown" });
  if (!found) return;
  let [shown, against] = [found.versions[0]?.id, ""];
  const body = h("div", { class: "once" });
  const redraw = async () => (
    (found = (await attempt(read, { failed: "The versions cannot be shown" })) || found),
    draw()
  );
  draw();
  await new Promise((resolve) => {
    const close = h("button", { class: "button main", type: "button", on: { click: () => opened.close() } }, "Done");
    const content = h(
      "div",
      { class: "once" },
      h("h2", null, `Versions of ${prompt.name}`),
      body,
      h("div", { class: "row" }, close),
    );
    const opened = openDialog({
      label: `Versions of ${prompt.name}`,
      className: "ask broad",
      content,
      closed: () => void resolve(),
    });
  });

  function draw() {
    const { versions } = found;
    const version = versions.find(({ id }) => id === shown) ?? versions[0];
    const other = versions.find(({ id }) => id === against);
    const label = (one) => `${one.label}${one.active ? " (active)" : ""}, ${age(one.createdAt, now())}`;
    const choose = (words, value, options, change) => {
      const select = h(
        "select",
        { class: "input", "aria-label": words },
        options.map(([id, text]) => h("option", { value: id }, text)),
      );
      select.value = value;
      select.addEventListener(
        "change",
        () => (change(select.value), draw(), body.querySelector(`[aria-label="${words}"]`).focus()),
      );
      return h("label", { class: "labelled" }, h("span", null, words), select);
    };
    const all = versions.map((one) => [one.id, label(one)]);
    const compared = [["", "nothing"], ...all.filter(([id]) => id !== version.id)];
    const heads = [
      choose("Version", version.id, all, (id) => (shown = id)),
      choose("Compared with", other?.id ?? "", compared, (id) => (against = id)),
    ];
    fill(
      body,
      h("div", { class: "versions-head" }, heads),
      other ? changes(other, version) : text(version),
      buttons(version),
    );
  }

  function buttons(version) {
    if (!organization.isArchitect) return null;
    const turn = async (active) => {
      const told = {
        done: `${version.label} is ${active ? "active" : "no longer active"}.`,
        failed: `${version.label} stays as it was`,
      };
      if (await attempt(() => patch(address(prompt, `/${encodeURIComponent(version.id)}`), { active }), told))
        await redraw();
    };
    const next = async () => {
      const fresh = await newVersion(version);
      if (fresh) ((against = shown), (shown = fresh.id), await redraw());
    };
    const state = version.active
      ? button("Make inactive", () => turn(false))
      : button("Make active", () => turn(true), { kind: "main" });
    return h("div", { class: "row" }, state, button("New version from this…", next));
  }

  function newVersion(version) {
    const fields = [
      { name: "label", label: "Label", most: 500, hint: "Left empty: the next number." },
      { name: "body", label: "Text", kind: "textarea", rows: 14, value: version.body, required: true, most: 500_000 },
    ];
    const send = async ({ label, body: written }) => {
      const { versions } = await post(address(prompt), label ? { label, body: written } : { body: written });
      return versions?.[0] ?? true;
    };
    const said = {
      title: `New version of ${prompt.name}`,
      text: "It holds once you make it active.",
      button: "Make the version",
    };
    return askFor({ ...said, fields, wide: true, send });
  }
}

function text(version) {
  return h(
    "pre",
    { class: "lines", tabindex: "0", role: "region", "aria-label": `Text of ${version.label}` },
    version.body,
  );
}

const SIGNS = { same: " ", gone: "−", new: "+" };

function changes(before, after) {
  const lines = difference(before.body, after.body);
  const line = ({ kind, text: words }) => {
    const sign = h("span", { "aria-hidden": "true" }, `${SIGNS[kind]} `);
    return h(kind === "gone" ? "del" : kind === "new" ? "ins" : "span", { class: "line" }, sign, words || " ");
  };
  const label = `What ${after.label} changes in ${before.label}`;
  const isSame = lines.every(({ kind }) => kind === "same");
  const content = isSame ? h("span", { class: "line muted" }, "The texts are the same.") : lines.map(line);
  return h("pre", { class: "lines difference", tabindex: "0", role: "region", "aria-label": label }, content);
}

// The difference between two texts, line by line: what both have, what only the one has, what only the other has.
const LINES_MAX = 2000; // of what differs; more are told as taken away and put in whole

/** Compare two texts; give [{kind: "same" | "gone" | "new", text}] in the order of reading. */
export function difference(before, after) {
  const [one, two] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < two.length - start && one.at(-1 - end) === two.at(-1 - end)) end += 1;
  const middle = between(one.slice(start, one.length - end), two.slice(start, two.length - end));
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  return [...same(one.slice(0, start)), ...middle, ...same(end ? one.slice(-end) : [])];
}

/** Find the longest run of lines that both have, in order; the table of it is bounded. */
function between(one, two) {
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
