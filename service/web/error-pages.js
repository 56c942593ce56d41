// What is shown where there is no page.

import { pageUrl } from "./core/base-path.js";
import { h } from "./core/dom.js";
import { organization } from "./core/organization.js";
import { boardUrl } from "./core/router.js";
import { switchOrganization } from "./ui/switch-organization.js";

/** Return the content of "not found". */
export function renderNotFound() {
  const boards = organization.projects.map(({ id, title }) => h("li", h("a.link", { href: boardUrl(id) }, title)));
  const home = h("a.button", { href: pageUrl("/") }, "Go to Home");
  return h("div.page-message", h("h1", "There is no such page"), home, h("ul", boards));
}

/** Return the message for a removed member, with links to other organizations. */
export function renderNoOrganization() {
  const others = organization.me.organizations.map(({ id, title }) =>
    h("button.button", { click: () => switchOrganization(id) }, `Go to ${title}`)
  );
  const text = others.length ? "You still have access to your other organizations." : "An architect can invite you again.";
  const title = h("h1", "You are no longer a member of this organization");
  return h("div.page-message", title, h("p", text), others);
}
