// What stands at an address that names no screen: the ways to those that there are.

import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { boardAddress } from "../core/route.js";

/** Say that there is no such page. */
export function nowhere() {
  const boards = organization.projects.map(({ id, title }) =>
    h("li", null, h("a", { class: "link", href: boardAddress(id) }, title)),
  );
  const home = h("a", { class: "button", href: "/" }, "Go to Now");
  return h("div", { class: "alone" }, h("h1", null, "There is no such page"), home, h("ul", null, boards));
}
