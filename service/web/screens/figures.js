// Figures: throughput, cycle time, flow, dwell and the work of agents as pictures, each with its numbers and a file of them.

import { now } from "../core/api.js";
import { h } from "../core/dom.js";
import { csv, readFigures, tables } from "../core/figures.js";
import { organization } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { go } from "../core/route.js";
import { count } from "../core/words.js";
import { chart } from "../parts/charts.js";
import { plainScreen, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { button, section } from "../parts/rows.js";

export const SHEETS = [...PLAIN, "/css/design.css"];

const KINDS = { throughput: "bars", cycle: "lines", flow: "areas", dwell: "across", agents: "across" };
const SPANS = [7, 30, 90, 365];
const SPAN = 30;

export function show(host, address) {
  let wanted = read(address);
  const open = new Set(); // the tables that are shown
  const resource = new Resource(() => readFigures(wanted.project, wanted.days, now()));
  const screen = plainScreen(host, {
    title: "Figures",
    resource,
    kind: "figured",
    tools: () => [
      choice("Board", wanted.project, boards(), "project"),
      choice("Days", String(wanted.days), spans(), "days"),
    ],
    draw: (found) => [totals(found), tables(found, organization.projects).map((table) => part(table, open))],
  });

  function choice(words, value, options, key) {
    const select = h("select", { class: "input small", "aria-label": words });
    for (const [one, text] of options) select.append(h("option", { value: one }, text));
    select.value = value;
    select.addEventListener("change", () =>
      go(`/figures?${new URLSearchParams({ ...wanted, [key]: select.value })}`, true),
    );
    return select;
  }

  function update(next) {
    wanted = read(next);
    resource.load();
    return true;
  }

  return { ...screen, update };
}

function read({ query }) {
  const days = Number(query.get("days"));
  return { project: query.get("project") ?? "", days: SPANS.includes(days) ? days : SPAN };
}

const boards = () => [["", "All boards"], ...organization.projects.map(({ id, title }) => [id, title])];
const spans = () => SPANS.map((days) => [String(days), count(days, "day")]);

function totals({ totals: { throughput } }) {
  const shown = [
    [throughput.cardsCreated, "cards made"],
    [throughput.cardsClosed, "cards closed"],
    [Math.round(throughput.averageCycleTimeHours * 10) / 10, "hours from made to done, mean"],
  ];
  const figure = ([value, words]) => h("div", null, h("dt", null, words), h("dd", null, value.toLocaleString("en")));
  return h("dl", { class: "figures" }, shown.map(figure));
}

function part(table, open) {
  const numbers = h(
    "div",
    { class: "numbers-frame", tabindex: "0", role: "region", "aria-label": `Numbers: ${table.title}` },
    listed(table),
  );
  numbers.hidden = !open.has(table.id);
  const toggle = button("Show numbers", () => turn(numbers.hidden), { name: `Show numbers: ${table.title}` });
  toggle.setAttribute("aria-expanded", String(!numbers.hidden));
  const file = button("CSV", () => save(table), { name: `CSV: ${table.title}` });
  const isEmpty = !table.rows.some(([, ...values]) => values.some((one) => one !== null && (one > 0 || table.id === "cycle")));
  const picture = isEmpty ? h("p", { class: "muted" }, "Nothing in these days.") : chart(KINDS[table.id], table);
  const about = h("p", { class: "small muted" }, table.about);
  return section(
    table.title,
    null,
    h("div", { class: "figure" }, about, picture, numbers),
    h("div", { class: "row" }, toggle, file),
  );

  function turn(shown) {
    numbers.hidden = !shown;
    toggle.setAttribute("aria-expanded", String(shown));
    shown ? open.add(table.id) : open.delete(table.id);
  }
}

function listed({ head, rows }) {
  const line = ([name, ...values]) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, name),
      values.map((one) => h("td", null, said(one))),
    );
  const heads = h(
    "tr",
    null,
    head.map((words) => h("th", { scope: "col" }, words)),
  );
  return h("table", { class: "numbers" }, h("thead", null, heads), h("tbody", null, rows.map(line)));
}

function said(value) {
  return value === null ? "–" : value.toLocaleString("en");
}

function save(table) {
  const href = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
  const link = h("a", { href, download: `tandem-${table.id}.csv` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
