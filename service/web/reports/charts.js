// Charts drawn as SVG.

import { appendChildren, h, setAttribute } from "../core/dom.js";
import { formatCount, formatDay, formatNumber } from "../core/format.js";

const SVG = "http://www.w3.org/2000/svg";
const INITIAL_WIDTH = 640; // until the chart is laid out
const WIDTH_MIN = 200;
const HEIGHT = 200;
const BOTTOM = 22;
const TOP = 8;
const GAP = 6; // between a label and what it belongs to
const LETTERS_MAX = 100; // of a label
const COLORS = 8; // more series share colours
const FONT = "12px system-ui, sans-serif"; // as in reports.css

const DRAWINGS = { __proto__: null, bars: drawBars, lines: drawLines, areas: drawAreas, across: drawHorizontalBars };

/** Return a table as a chart (`kind`: bars, lines, areas, across). The first column has the labels, the others are the series. */
export function renderChart(kind, table) {
  const svg = createSvg("svg", { class: "chart", role: "img", "aria-label": describeTable(table) });
  const legend = table.head.slice(1).map((label, at) => h("li", h("span", { class: `key s${at % COLORS}` }), label));
  const frame = h("div", svg, kind !== "across" && h("ul.legend.small", legend));
  draw(INITIAL_WIDTH);
  new ResizeObserver(([{ contentRect }]) => draw(contentRect.width)).observe(frame);
  return frame;

  /** Draw in the pixels of the page, so that texts keep their size and nothing has to be scrolled. */
  function draw(available) {
    const width = Math.max(WIDTH_MIN, Math.floor(available));
    if (width === svg.drawnWidth) return;
    svg.drawnWidth = width;
    svg.replaceChildren();
    setSize(svg, width, HEIGHT);
    DRAWINGS[kind](svg, table, width);
  }
}

function setSize(svg, width, height) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
}

function createSvg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  return appendChildren(element, children);
}

function describeTable(table) {
  const { title, rows } = table;
  const ends = [rows[0], rows.at(-1)].map((row) => row && rowLabel(table, row[0])).join(" to ");
  return rows.length ? `${title}: ${formatCount(rows.length, "row")}, from ${ends}` : `${title}: nothing`;
}

/** Return what the first column of a row shows: a day as people write it, or a name. */
export function rowLabel({ head }, name) {
  return head[0] === "Day" ? formatDay(name) : name;
}

/** Round up to 1, 2, 5 or 10 times a power of ten. */
function roundUp(largest) {
  const step = 10 ** Math.floor(Math.log10(Math.max(largest, 1)));
  return [1, 2, 5, 10].map((times) => times * step).find((top) => top >= largest);
}

let context = null; // measures texts

function textWidth(text) {
  context ??= document.createElement("canvas").getContext("2d");
  context.font = FONT;
  return context.measureText(text).width * 1.1; // the font of the page may be a little wider
}

/** Shorten a text until it fits. */
function fitText(text, width) {
  if (textWidth(text) <= width) return text;
  const letters = [...text].slice(0, LETTERS_MAX);
  while (letters.length && textWidth(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("")}…`;
}

const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const y = (value, top) => TOP + PLOT_HEIGHT * (1 - value / top);

/** Draw grid lines with their values, and the days; return a function from the index of a row to its position. */
function drawAxes(svg, { rows }, top, width) {
  const values = [0, 0.5, 1].map((share) => top * share);
  const left = Math.ceil(Math.max(...values.map((value) => textWidth(formatNumber(value))))) + GAP;
  const x = (at) => left + ((width - left) * (at + 0.5)) / rows.length;
  for (const value of values) {
    const height = y(value, top);
    svg.append(createSvg("line", { x1: left, x2: width, y1: height, y2: height, class: "grid" }));
    svg.append(createSvg("text", { x: left - GAP, y: height + 3.5, "text-anchor": "end" }, formatNumber(value)));
  }
  drawDays(svg, rows, x, width);
  return x;
}

function drawDays(svg, rows, x, width) {
  const form = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
  const labels = rows.map(([day]) => form.format(new Date(`${day}T12:00:00Z`)));
  const labelWidth = Math.max(...labels.map(textWidth)) + 2 * GAP;
  const every = Math.ceil(rows.length / Math.max(1, Math.floor((width - x(0)) / labelWidth)));
  let end = -GAP; // of the label before
  labels.forEach((label, at) => {
    const half = textWidth(label) / 2;
    const middle = Math.max(half, Math.min(width - half, x(at)));
    if (at % every || middle - half < end + GAP) return; // the last label may have been moved to the left
    end = middle + half;
    svg.append(createSvg("text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle" }, label));
  });
}

function largest(rows) {
  return Math.max(0, ...rows.flatMap(([, ...numbers]) => numbers.map((number) => number ?? 0)));
}

function drawBars(svg, table, full) {
  const { rows, head } = table;
  const top = roundUp(largest(rows));
  const x = drawAxes(svg, table, top, full);
  const width = Math.min(18, ((full - x(0)) / rows.length) * 0.8) / (head.length - 1);
  rows.forEach(([, ...numbers], at) => {
    numbers.forEach((number, series) => {
      const left = x(at) + (series - numbers.length / 2) * width;
      const size = { x: left, y: y(number, top), width: Math.max(1, width - 1), height: (PLOT_HEIGHT * number) / top };
      svg.append(createSvg("rect", { ...size, class: `fill s${series}` }));
    });
  });
}

function drawLines(svg, table, width) {
  const { rows, head } = table;
  const top = roundUp(largest(rows));
  const x = drawAxes(svg, table, top, width);
  for (let series = 1; series < head.length; series += 1) {
    const points = rows.map((row, at) => [x(at), row[series]]).filter(([, value]) => value !== null);
    const path = points.map(([left, value], at) => `${at ? "L" : "M"}${left.toFixed(1)} ${y(value, top).toFixed(1)}`);
    svg.append(createSvg("path", { d: path.join(""), class: `line s${series - 1}` }));
    for (const [left, value] of points)
      svg.append(createSvg("circle", { cx: left, cy: y(value, top), r: 2.5, class: `fill s${series - 1}` }));
  }
}

/** Stack the series, the last at the bottom, so that done cards lie below open ones. */
function drawAreas(svg, table, width) {
  const { rows, head } = table;
  const sums = rows.map(([, ...numbers]) => numbers.reduce((sum, number) => sum + number, 0));
  const top = roundUp(Math.max(0, ...sums));
  const x = drawAxes(svg, table, top, width);
  const base = rows.map(() => 0);
  for (let series = head.length - 1; series > 0; series -= 1) {
    const point = (at) => `${x(at).toFixed(1)} ${y(base[at], top).toFixed(1)}`;
    const below = rows.map((_, at) => point(at)).reverse();
    rows.forEach((row, at) => (base[at] += row[series]));
    const above = rows.map((_, at) => point(at));
    svg.append(createSvg("path", { d: `M${above.join("L")}L${below.join("L")}Z`, class: `fill s${(series - 1) % COLORS}` }));
  }
}

const ROW_HEIGHT = 24;
const OVERHANG = 2; // of a letter over its place
const NAME_HEIGHT = 18; // of a name above its bar
const NAME_SHARE_MAX = 0.4; // of the width, for the names of the rows beside their bars

/** Draw a horizontal bar for the first number of each row, beside its name, or below it if the names are long. */
function drawHorizontalBars(svg, { rows }, width) {
  const isBeside = rows.every(([label]) => textWidth(label) <= width * NAME_SHARE_MAX);
  const nameHeight = isBeside ? 0 : NAME_HEIGHT;
  const rowHeight = ROW_HEIGHT + nameHeight;
  setSize(svg, width, Math.max(ROW_HEIGHT, rows.length * rowHeight));
  const names = rows.map(([label]) => fitText(label, width - 2 * OVERHANG));
  const left = isBeside ? Math.ceil(Math.max(0, ...names.map(textWidth))) + GAP : 0;
  const numbersWidth = Math.ceil(Math.max(0, ...rows.map(([, number]) => textWidth(formatNumber(number))))) + GAP;
  const longest = Math.max(1, ...rows.map(([, number]) => number));
  rows.forEach(([label, number], at) => {
    const length = Math.max(1, ((width - left - numbersWidth) * number) / longest);
    const top = at * rowHeight;
    const place = isBeside ? { x: left - GAP, y: top + 15, "text-anchor": "end" } : { x: OVERHANG, y: top + 15 };
    const name = createSvg("text", place, names[at]);
    if (names[at] !== label) name.append(createSvg("title", {}, label));
    const bar = { x: left, y: top + nameHeight + 4, width: length, height: 15, rx: 3, class: "fill s0" };
    svg.append(name, createSvg("rect", bar));
    svg.append(createSvg("text", { x: left + length + GAP, y: top + nameHeight + 15 }, formatNumber(number)));
  });
}
