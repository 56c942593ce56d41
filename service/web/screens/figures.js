// Figures: throughput, cycle time, flow, dwell and the work of agents as pictures, each with its numbers and a file of them.

import { get, now } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { go } from "../core/route.js";
import { count } from "../core/words.js";
import { chart } from "../parts/charts.js";
import { plainScreen, Resource, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { button, section } from "../parts/form.js";

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

// The figures of a window of days: read together, and turned into tables that pictures and files are made of.
const DAY = 86_400_000;

/** Read the figures of the last so many days, of one board or of all; raise Refused. */
async function readFigures(projectId, days, now) {
  const of = projectId ? `&projectId=${encodeURIComponent(projectId)}` : "";
  const from = new Date(now - (days - 1) * DAY).toISOString();
  const [series, totals, columns, agents] = await Promise.all([
    get(path(`/analytics/series?from=${from}${of}`)),
    get(path(`/analytics?from=${from}${of}`)),
    get(path("/columns" + (projectId ? `?projectId=${encodeURIComponent(projectId)}` : ""))),
    get(path("/agents")),
  ]);
  return { days: series.days, totals, columns, agents };
}

/** Make the tables: {id, title, about, head: [words], rows: [[label, numbers …]]}. */
export function tables({ days, totals, columns, agents }, boards) {
  const named = columnNames(columns, boards);
  const shown = columns.filter(({ id }) => days.some((day) => day.columns[id]));
  const agentName = (id) => agents.find((agent) => agent.id === id)?.title ?? id;
  return [
    {
      id: "throughput",
      title: "Made and closed",
      about: "Cards that were made and that came into a done column, by day.",
      head: ["Day", "Made", "Closed"],
      rows: days.map(({ date, created, closed }) => [date, created, closed]),
    },
    {
      id: "cycle",
      title: "Cycle time",
      about:
        "Hours from being made to being done: the middle of the cards closed on a day, and within how many 85 % were done.",
      head: ["Day", "Median, hours", "85 %, hours"],
      rows: days.map(({ date, cycleMedian, cycle85 }) => [date, rounded(cycleMedian), rounded(cycle85)]),
    },
    {
      id: "flow",
      title: "Cumulative flow",
      about: "How many cards stood in each column at the end of a day.",
      head: ["Day", ...shown.map(named)],
      rows: days.map((day) => [day.date, ...shown.map(({ id }) => day.columns[id] ?? 0)]),
    },
    {
      id: "dwell",
      title: "Time in a column",
      about: "Mean hours that cards stood in each column, and how many came in.",
      head: ["Column", "Hours", "Came in"],
      rows: totals.byColumn.map(({ columnId, averageDwellHours, cardsEntered }) => [
        named(columns.find(({ id }) => id === columnId) ?? { title: "a column that is gone" }),
        rounded(averageDwellHours),
        cardsEntered,
      ]),
    },
    {
      id: "agents",
      title: "Work of agents",
      about: "Cards that each agent touched, its moves and comments.",
      head: ["Agent", "Cards", "Moves", "Comments"],
      rows: totals.agents.map((one) => [agentName(one.agentId), one.cardsTouched, one.transitions, one.comments]),
    },
  ];
}

function rounded(number) {
  return number === null ? null : Math.round(number * 100) / 100;
}

/** Columns of several boards are told apart by their board. */
function columnNames(columns, boards) {
  const isOne = new Set(columns.map(({ projectId }) => projectId)).size < 2;
  const board = (id) => boards.find((one) => one.id === id)?.title ?? "another board";
  return ({ title, projectId }) => (isOne || !projectId ? title : `${board(projectId)}: ${title}`);
}

/** Write a table as CSV (RFC 4180); a text that a spreadsheet would take for a formula is made harmless. */
export function csv({ head, rows }) {
  const cell = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
