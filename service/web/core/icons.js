// The icons of the page, drawn as SVG paths.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  __proto__: null,
  agent: "M4 6.5h8v6H4zM8 6.5v-3M2.5 9v2M13.5 9v2M6.3 9v1M9.7 9v1",
  archive: "M2 3.5h12v3H2zM3 6.5v6h10v-6M6.5 9h3",
  bell: "M8 2a4 4 0 0 0-4 4v3l-1.5 2.5h11L12 9V6a4 4 0 0 0-4-4zM6.5 13.5h3",
  board: "M2.5 3h3v10h-3zM6.5 3h3v5.5h-3zM10.5 3h3v7.5h-3z",
  check: "M3 8.5l3.5 3.5L13 4.5",
  chevron: "M6 3l5 5-5 5",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6 5.8 5.8 0 0 0 0-11.6zM8 5v3.2l2.2 1.3",
  close: "M4 4l8 8M12 4l-8 8",
  comment: "M2.5 4.5a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7l-2.5 2v-2h-1a1 1 0 0 1-1-1z",
  earlier: "M8 13V3M4 7l4-4 4 4",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  key: "M2 8a2 2 0 1 0 4 0 2 2 0 0 0-4 0zM6 8h8M11.5 8v2M14 8v2",
  later: "M8 3v10M4 9l4 4 4-4",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 3.5 3.5L10.5 8.5M9 11l-1.5 1.5A2.5 2.5 0 0 1 4 9l1.5-1.5",
  lock: "M4.5 7.5h7v5.5h-7zM6 7.5V5.5a2 2 0 0 1 4 0v2",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  parts: "M3 3.5h4v4H3zM9.5 5.5H13M3 10h4v3H3zM9.5 11.5H13",
  person: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5a5 5 0 0 1 10 0",
  plus: "M8 3v10M3 8h10",
  rail: "M2.5 3h11v10h-11zM6 3v10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3L14 14",
  settings:
    "M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 2v1.6M8 12.4V14M2 8h1.6M12.4 8H14" +
    "M3.8 3.8l1.1 1.1M11.1 11.1l1.1 1.1M12.2 3.8l-1.1 1.1M4.9 11.1l-1.1 1.1",
  snow: "M8 2v12M2.8 5l10.4 6M13.2 5L2.8 11M6.5 3L8 4.3 9.5 3M6.5 13L8 11.7 9.5 13",
  stop: "M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5zM5.5 8h5"
};

/** Return an icon by its name, or by an SVG path 16 units wide. Without a label it is decoration. */
export function icon(name, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name] ?? name);
  svg.append(path);
  return svg;
}

/** Return the icon before a row of a list; `kind` is "", "warn" or "danger". */
export function markIcon(name, kind = "") {
  return h("span", { class: `mark ${kind}` }, icon(name));
}
