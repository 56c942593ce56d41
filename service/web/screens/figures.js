// Figures: throughput, cycle time, flow, dwell and the work of agents as pictures, each with its numbers and a file of them.

import { get, now } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { go } from "../core/route.js";
import { count } from "../core/words.js";
import { chart } from "../parts/charts.js";
import { saveAs } from "../parts/files.js";
import { button, choice, pairs, section } from "../parts/form.js";
import { plainScreen, scrolled, table } from "../parts/plainscreen.js";

const KINDS = { throughput: "bars", cycle: "lines", flow: "areas", dwell: "across", agents: "across" };
const SPANS = [7, 30, 90, 365];
const SPAN = 30;

export function show(host, address) {
  let wanted = read(address);
  const open = new Set(); // the tables that are shown
  const screen = plainScreen(host, {
    title: "Figures",
    read: () => readFigures(wanted.project, wanted.days, now()),
    kind: "figured",
    tools: () => [
      choice("Board", boards(), wanted.project, (project) => turn({ project })),
      choice("Days", spans(), wanted.days, (days) => turn({ days }))
    ],
    draw: (found) => [totals(found), tables(found, organization.projects).map((one) => part(one, open))]
  });

  function turn(other) {
    go(`/figures?${new URLSearchParams({ ...wanted, ...other })}`, true);
  }

  function update(next) {
    wanted = read(next);
    screen.refresh();
    return true;
  }

  return { ...screen, update };
}

function read({ query }) {
  const days = Number(query.get("days"));
  return { project: query.get("project") ?? "", days: SPANS.includes(days) ? days : SPAN };
}

const boards = () => [["", "All boards"], ...organization.projects.map(({ id, title }) => [id, title])];
const spans = () => SPANS.map((days) => [days, count(days, "day")]);

function totals({ totals: { throughput } }) {
  const shown = [
    ["cards made", throughput.cardsCreated],
    ["cards closed", throughput.cardsClosed],
    ["hours from made to done, mean", Math.round(throughput.averageCycleTimeHours * 10) / 10]
  ];
  return pairs("figures", shown.map(([words, value]) => [words, said(value)]));
}

function part(figure, open) {
  const { id, title, about, head, rows } = figure;
  const lines = rows.map(([name, ...values]) => [name, ...values.map(said)]);
  const numbers = scrolled("numbers-frame", `Numbers: ${title}`, table("numbers", head, lines));
  const toggle = button("Show numbers", () => turn(numbers.hidden), { name: `Show numbers: ${title}` });
  turn(open.has(id));
  const save = () => saveAs(new Blob(["\ufeff", csv(figure)], { type: "text/csv" }), `tandem-${id}.csv`);
  const file = button("CSV", save, { name: `CSV: ${title}` });
  const isEmpty = !rows.some(([, ...values]) => values.some((one) => one !== null && (one > 0 || id === "cycle")));
  const picture = isEmpty ? h("p.muted", "Nothing in these days.") : chart(KINDS[id], figure);
  const content = h("div.figure", h("p.small.muted", about), picture, numbers);
  return section(title, null, content, h("div.row", toggle, file));

  function turn(shown) {
    numbers.hidden = !shown;
    toggle.setAttribute("aria-expanded", String(shown));
    shown ? open.add(id) : open.delete(id);
  }
}

function said(value) {
  return value === null ? "–" : value.toLocaleString("en");
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
    get(path("/agents"))
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
      rows: days.map(({ date, created, closed }) => [date, created, closed])
    },
    {
      id: "cycle",
      title: "Cycle time",
      about:
        "Hours from being made to being done: the middle of the cards closed on a day, and within how many 85 % were done.",
      head: ["Day", "Median, hours", "85 %, hours"],
      rows: days.map(({ date, cycleMedian, cycle85 }) => [date, rounded(cycleMedian), rounded(cycle85)])
    },
    {
      id: "flow",
      title: "Cumulative flow",
      about: "How many cards stood in each column at the end of a day.",
      head: ["Day", ...shown.map(named)],
      rows: days.map((day) => [day.date, ...shown.map(({ id }) => day.columns[id] ?? 0)])
    },
    {
      id: "dwell",
      title: "Time in a column",
      about: "Mean hours that cards stood in each column, and how many came in.",
      head: ["Column", "Hours", "Came in"],
      rows: totals.byColumn.map(({ columnId, averageDwellHours, cardsEntered }) => [
        named(columns.find(({ id }) => id === columnId) ?? { title: "a column that is gone" }),
        rounded(averageDwellHours),
        cardsEntered
      ])
    },
    {
      id: "agents",
      title: "Work of agents",
      about: "Cards that each agent touched, its moves and comments.",
      head: ["Agent", "Cards", "Moves", "Comments"],
      rows: totals.agents.map((one) => [agentName(one.agentId), one.cardsTouched, one.transitions, one.comments])
    }
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
function csv({ head, rows }) {
  const cell = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
