// The figures of a window of days: read together, and turned into tables that pictures and files are made of.

import { get } from "./api.js";
import { path } from "./organization.js";

const DAY = 86_400_000;

/** Read the figures of the last so many days, of one board or of all; raise Refused. */
export async function readFigures(projectId, days, now) {
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
