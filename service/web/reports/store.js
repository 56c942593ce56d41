// The data of the reports, as tables.

import { get } from "../core/api.js";
import { lookUp } from "../core/lookup.js";
import { orgPath } from "../core/organization.js";

const DAY = 86_400_000;

/** Load the analytics of the last days, for one board or all; raise ApiError. */
export async function loadReports(projectId, days, now) {
  const of = projectId ? `&projectId=${encodeURIComponent(projectId)}` : "";
  const from = new Date(now - (days - 1) * DAY).toISOString();
  const [series, totals, columns, agents] = await Promise.all([
    get(orgPath(`/analytics/series?from=${from}${of}`)),
    get(orgPath(`/analytics?from=${from}${of}`)),
    get(orgPath("/columns" + (projectId ? `?projectId=${encodeURIComponent(projectId)}` : ""))),
    get(orgPath("/agents"))
  ]);
  return { days: series.days, totals, columns, agents };
}

/**
 * The data of the tables, with what names columns and agents.
 * @typedef {{days: any[], totals: any, columns: any[], columnName: (column: any) => string, agentName: (id: string) => string}
 *   } Reports
 * @typedef {{id: string, title: string, about: string, head: (reports: Reports) => string[], rows: (reports: Reports) => any[]}
 *   } Table
 */

/** @type {Table[]} */
const TABLES = [
  {
    id: "throughput",
    title: "Created and closed",
    about: "Cards that were created, and cards that came into a done column, by day.",
    head: () => ["Day", "Created", "Closed"],
    rows: ({ days }) => days.map(({ date, created, closed }) => [date, created, closed])
  },
  {
    id: "cycle",
    title: "Cycle time",
    about: "Cycle time in hours: median and 85th percentile of cards closed each day.",
    head: () => ["Day", "Median", "85th percentile"],
    rows: ({ days }) => days.map(({ date, cycleMedian, cycle85 }) => [date, round(cycleMedian), round(cycle85)])
  },
  {
    id: "flow",
    title: "Cumulative flow",
    about: "How many cards were in each column at the end of a day.",
    head: (reports) => ["Day", ...listShownColumns(reports).map(reports.columnName)],
    rows: listFlow
  },
  {
    id: "dwell",
    title: "Time in a column",
    about: "Mean hours that cards were in each column, and how many entered it.",
    head: () => ["Column", "Hours", "Entered"],
    rows: listDwellTimes
  },
  {
    id: "agents",
    title: "Work of agents",
    about: "Cards that each agent touched, its moves and comments.",
    head: () => ["Agent", "Cards", "Moves", "Comments"],
    rows: ({ totals, agentName }) =>
      totals.agents.map((agent) => [agentName(agent.agentId), agent.cardsTouched, agent.transitions, agent.comments])
  }
];

/** Return the tables: {id, title, about, head: [words], rows: [[label, numbers …]]}. */
export function createTables({ days, totals, columns, agents }, boards) {
  const columnName = createColumnNames(columns, boards);
  const agentName = (id) => agents.find((agent) => agent.id === id)?.title ?? id;
  const reports = { days, totals, columns, columnName, agentName };
  return TABLES.map(({ head, rows, ...table }) => ({ ...table, head: head(reports), rows: rows(reports) }));
}

/**
 * Return the columns that had cards on one of the days.
 * @param {Reports} reports
 */
function listShownColumns({ days, columns }) {
  return columns.filter(({ id }) => days.some((day) => lookUp(day.columns, id)));
}

/** @param {Reports} reports */
function listFlow(reports) {
  const shown = listShownColumns(reports);
  return reports.days.map((day) => [day.date, ...shown.map(({ id }) => lookUp(day.columns, id) ?? 0)]);
}

/** @param {Reports} reports */
function listDwellTimes({ totals, columns, columnName }) {
  const gone = { title: "a column that is gone" };
  return totals.byColumn.map(({ columnId, averageDwellHours, cardsEntered }) => {
    const column = columns.find(({ id }) => id === columnId) ?? gone;
    return [columnName(column), round(averageDwellHours), cardsEntered];
  });
}

function round(number) {
  return number === null ? null : Math.round(number * 100) / 100;
}

/** Return the label of a column, with the title of its board if there are several. */
function createColumnNames(columns, boards) {
  const isOne = new Set(columns.map(({ projectId }) => projectId)).size < 2;
  const board = (id) => boards.find((candidate) => candidate.id === id)?.title ?? "another board";
  return ({ title, projectId }) => (isOne || !projectId ? title : `${board(projectId)}: ${title}`);
}
