// Charts drawn as SVG.

import { h } from "../core/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;
const LABELS_MAX = 6; // on the time axis
const COLORS = 8; // more series share colours

/** Return a table as a chart (`kind`: bars, lines, areas, across). The first column has the labels, the others are the series. */
export function renderChart(kind, table) {
  const svg = createSvg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "chart",
    role: "img",
    "aria-label": describeTable(table)
  });
  const draw = { bars: drawBars, lines: drawLines, areas: drawAreas, across: drawHorizontalBars }[kind];
  draw(svg, table);
  const legend = table.head.slice(1).map((label, at) => h("li", h("span", { class: `key s${at % COLORS}` }), label));
  const scrolled = h(
    "div.chart-frame",
    { tabindex: "0", role: "region", "aria-label": `Picture: ${table.title}` },
    svg
  );
  requestAnimationFrame(() => kind !== "across" && (scrolled.scrollLeft = scrolled.scrollWidth)); // show the newest day
  return h("div", scrolled, kind !== "across" && h("ul.legend.small", legend));
}

function createSvg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...children);
  return element;
}

function describeTable({ title, rows }) {
  return rows.length ? `${title}: ${rows.length} rows, from ${rows[0][0]} to ${rows.at(-1)[0]}` : `${title}: nothing`;
}

/** Round up to 1, 2, 5 or 10 times a power of ten. */
function roundUp(largest) {
  const step = 10 ** Math.floor(Math.log10(Math.max(largest, 1)));
  return [1, 2, 5, 10].map((times) => times * step).find((top) => top >= largest);
}

const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const y = (value, top) => TOP + PLOT_HEIGHT * (1 - value / top);
const x = (at, count) => LEFT + ((WIDTH - LEFT) * (at + 0.5)) / count;

/** Draw grid lines with their values, and the days. */
function drawAxes(svg, { rows }, top) {
  for (const share of [0, 0.5, 1]) {
    const height = y(top * share, top);
    svg.append(createSvg("line", { x1: LEFT, x2: WIDTH, y1: height, y2: height, class: "grid" }));
    svg.append(
      createSvg("text", { x: LEFT - 6, y: height + 3.5, "text-anchor": "end" }, (top * share).toLocaleString("en"))
    );
  }
  const every = Math.ceil(rows.length / LABELS_MAX);
  rows.forEach(([day], at) => {
    if (at % every) return;
    const label = new Date(`${day}T12:00:00Z`).toLocaleDateString("en", {
      month: "short",
      day: "numeric",
      timeZone: "UTC"
    });
    svg.append(createSvg("text", { x: x(at, rows.length), y: HEIGHT - 6, "text-anchor": "middle" }, label));
  });
}

function largest(rows) {
  return Math.max(0, ...rows.flatMap(([, ...numbers]) => numbers.map((number) => number ?? 0)));
}

function drawBars(svg, table) {
  const { rows, head } = table;
  const top = roundUp(largest(rows));
  drawAxes(svg, table, top);
  const width = Math.min(18, ((WIDTH - LEFT) / rows.length) * 0.8) / (head.length - 1);
  rows.forEach(([, ...numbers], at) => {
    numbers.forEach((number, series) => {
      const left = x(at, rows.length) + (series - numbers.length / 2) * width;
      const size = { x: left, y: y(number, top), width: Math.max(1, width - 1), height: (PLOT_HEIGHT * number) / top };
      svg.append(createSvg("rect", { ...size, class: `fill s${series}` }));
    });
  });
}

function drawLines(svg, table) {
  const { rows, head } = table;
  const top = roundUp(largest(rows));
  drawAxes(svg, table, top);
  for (let series = 1; series < head.length; series += 1) {
    const points = rows.map((row, at) => [x(at, rows.length), row[series]]).filter(([, value]) => value !== null);
    const path = points.map(([left, value], at) => `${at ? "L" : "M"}${left.toFixed(1)} ${y(value, top).toFixed(1)}`);
    svg.append(createSvg("path", { d: path.join(""), class: `line s${series - 1}` }));
    for (const [left, value] of points)
      svg.append(createSvg("circle", { cx: left, cy: y(value, top), r: 2.5, class: `fill s${series - 1}` }));
  }
}

/** Stack the series, the last at the bottom, so that done cards lie below open ones. */
function drawAreas(svg, table) {
  const { rows, head } = table;
  const sums = rows.map(([, ...numbers]) => numbers.reduce((sum, number) => sum + number, 0));
  const top = roundUp(Math.max(0, ...sums));
  drawAxes(svg, table, top);
  const base = rows.map(() => 0);
  for (let series = head.length - 1; series > 0; series -= 1) {
    const point = (at) => `${x(at, rows.length).toFixed(1)} ${y(base[at], top).toFixed(1)}`;
    const below = rows.map((_, at) => point(at)).reverse();
    rows.forEach((row, at) => (base[at] += row[series]));
    const above = rows.map((_, at) => point(at));
    svg.append(
      createSvg("path", { d: `M${above.join("L")}L${below.join("L")}Z`, class: `fill s${(series - 1) % COLORS}` })
    );
  }
}

const ROW_HEIGHT = 24;

/** Draw a horizontal bar for the first number of each row. */
function drawHorizontalBars(svg, { rows }) {
  const height = Math.max(ROW_HEIGHT, rows.length * ROW_HEIGHT);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  const top = Math.max(1, ...rows.map(([, number]) => number));
  rows.forEach(([label, number], at) => {
    const name = label.length > 26 ? `${label.slice(0, 25)}…` : label;
    const width = ((WIDTH - 260) * number) / top;
    svg.append(createSvg("text", { x: 180, y: at * ROW_HEIGHT + 15, "text-anchor": "end" }, name));
    svg.append(
      createSvg("rect", {
        x: 190,
        y: at * ROW_HEIGHT + 4,
        width: Math.max(1, width),
        height: 15,
        rx: 3,
        class: "fill s0"
      })
    );
    svg.append(createSvg("text", { x: 198 + width, y: at * ROW_HEIGHT + 15 }, number.toLocaleString("en")));
  });
}
