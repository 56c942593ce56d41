// Now: what waits for a person.

import { get, now } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { live } from "../core/live.js";
import { path } from "../core/organization.js";
import { age, refusal } from "../core/words.js";

export function show(host) {
  const list = h("ul", { class: "panel" });
  fill(host, h("header", { class: "head" }, h("h1", null, "Now")), list);
  live.addEventListener("news", refresh);
  refresh();

  async function refresh() {
    try {
      draw(await get(path("/attention")));
    } catch (error) {
      fill(list, h("li", null, refusal(error)));
    }
  }

  function draw(items) {
    const rows = items.map(({ message, since }) =>
      h("li", null, message, h("span", { class: "muted" }, ` · ${age(since, now())}`)),
    );
    fill(list, rows.length ? rows : h("li", null, "Nothing waits for you."));
  }

  return { title: "Now", refresh, leave: () => live.removeEventListener("news", refresh) };
}
