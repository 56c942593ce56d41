// Reports: throughput, cycle time, flow, time in columns and the work of agents.

import { pageUrl } from "../core/base-path.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatCount, formatNumber } from "../core/format.js";
import { drawPart } from "../core/guard.js";
import { organization } from "../core/organization.js";
import { navigate } from "../core/router.js";
import { renderChart, rowLabel } from "./charts.js";
import { selectInput, smallButton } from "../ui/controls.js";
import { saveBlob } from "../ui/file-transfer.js";
import { renderPairs, renderSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { renderTable, scrollRegion } from "../ui/table.js";
import { toCsv } from "./csv.js";
import { createTables, loadReports } from "./store.js";

const KINDS = { __proto__: null, throughput: "bars", cycle: "lines", flow: "areas", dwell: "across", agents: "across" };
const PERIODS = [7, 30, 90, 365]; // days
const DEFAULT_PERIOD = 30;

/** Show the reports; the board and the number of days are in the address. */
export function show(host, address) {
  let filter = parseQuery(address);
  const open = new Set(); // the ids of charts whose table is shown
  const screen = createPage(host, {
    title: "Reports",
    read: () => loadReports(filter.project, filter.days, serverNow()),
    kind: "reports",
    tools: () => [
      selectInput("Board", boardOptions(), filter.project, (project) => changeFilter({ project })),
      selectInput("Days", periodOptions(), String(filter.days), (days) => changeFilter({ days }))
    ],
    draw: (found) => [
      drawPart("The totals", () => renderTotals(found)),
      createTables(found, organization.projects).map((table) => drawPart(table.title, () => renderReport(table, open)))
    ]
  });

  function changeFilter(other) {
    navigate(pageUrl(`/reports?${new URLSearchParams({ ...filter, ...other })}`), true);
  }

  function update(next) {
    filter = parseQuery(next);
    screen.refresh();
    return true;
  }

  return { ...screen, update };
}

function parseQuery({ query }) {
  const days = Number(query.get("days"));
  return { project: query.get("project") ?? "", days: PERIODS.includes(days) ? days : DEFAULT_PERIOD };
}

const boardOptions = () => [["", "All boards"], ...organization.projects.map(({ id, title }) => [id, title])];
const periodOptions = () => PERIODS.map((days) => [String(days), formatCount(days, "day")]);

function renderTotals({ totals: { throughput } }) {
  const hours = Math.round(throughput.averageCycleTimeHours * 10) / 10;
  const shown = [
    ["cards created", throughput.cardsCreated],
    ["cards closed", throughput.cardsClosed],
    ["hours of cycle time, mean", throughput.cardsClosed ? hours : null]
  ];
  return renderPairs(
    "stats",
    shown.map(([label, value]) => [label, numberText(value)])
  );
}

function renderReport(report, open) {
  const { id, title, about, head, rows } = report;
  const lines = rows.map(([name, ...values]) => [rowLabel(report, name), ...values.map(numberText)]);
  const table = renderTable(head[0] === "Day" ? "numbers days" : "numbers", head, lines);
  const numbers = scrollRegion("numbers-frame", `Numbers: ${title}`, table);
  const toggle = smallButton("Show numbers", () => setNumbersVisible(numbers.hidden), { name: `Show numbers: ${title}` });
  setNumbersVisible(open.has(id));
  const save = () => saveBlob(new Blob(["\ufeff", toCsv(report)], { type: "text/csv" }), `tandem-${id}.csv`);
  const file = smallButton("CSV", save, { name: `CSV: ${title}` });
  const isEmpty = !rows.some(([, ...values]) => values.some((value) => value !== null && (value > 0 || id === "cycle")));
  const picture = isEmpty ? h("p.muted", "No data in this period.") : renderChart(KINDS[id], report);
  const content = h("div.report", h("p.small.muted", about), picture, numbers);
  return renderSection(title, null, content, h("div.row", toggle, file));

  function setNumbersVisible(shown) {
    numbers.hidden = !shown;
    toggle.setAttribute("aria-expanded", String(shown));
    shown ? open.add(id) : open.delete(id);
  }
}

function numberText(value) {
  return value === null ? "–" : formatNumber(value);
}
