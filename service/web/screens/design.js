// Board design: columns, ways and card types of one board; each switch saves at once and says what it changes for agents.

import { readDesign } from "../core/design.js";
import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { boardAddress, go } from "../core/route.js";
import { columnsSection } from "../parts/designcolumns.js";
import { typesSection } from "../parts/designtypes.js";
import { waysSection } from "../parts/designways.js";
import { plainScreen, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { onlyArchitects } from "../parts/settingsnav.js";

export const SHEETS = [...PLAIN, "/css/design.css"];

export function show(host, { project: projectId }) {
  const resource = new Resource(
    () => readDesign(projectId),
    ["column", "transition", "cardType", "field", "prompt", "project"],
  );
  const done = () => resource.load();
  return plainScreen(host, {
    title: "Board design",
    resource,
    kind: "designs",
    tools: () => [boards(projectId), h("a", { class: "button small", href: boardAddress(projectId) }, "To the board")],
    draw: (design) => [
      onlyArchitects(),
      columnsSection(design, done),
      waysSection(design, done),
      typesSection(design, done),
    ],
  });
}

function boards(projectId) {
  const select = h("select", { class: "input small", "aria-label": "Board" });
  for (const { id, title } of organization.projects) select.append(h("option", { value: id }, title));
  select.value = projectId;
  select.addEventListener("change", () => go(`${boardAddress(select.value)}/design`));
  return select;
}
