// The keys of the keyboard as the person has them: each is changed by pressing it, and what stands on two says so.

import { WORDS } from "../core/actionwords.js";
import { fill, h } from "../core/dom.js";
import { ACTIONS, bindingsOf, isOwn, keys, neighbours, record, rebind, shownKey, unbind } from "../core/keys.js";
import { quoted } from "../core/words.js";
import { attempt, button } from "./rows.js";

/** Draw the table of all keys. */
export function ownKeys() {
  const body = h("tbody");
  const all = button("Reset all", () => reset(ACTIONS.map(([action]) => action)));
  const head = h("tr", null, ["Action", "Key", "Change"].map((words) => h("th", { scope: "col" }, words)));
  const table = h("table", { class: "own-keys" }, h("thead", { class: "unseen" }, head), body);
  const rows = new Map(ACTIONS.map(([action]) => [action, row(action)]));
  let wish = null; // {action, binding} that is not saved, since another action has that key
  fill(body, [...rows.values()].map(({ element }) => element));
  keys.addEventListener("change", draw);
  draw();
  return [table, h("div", { class: "row" }, all)];

  function draw() {
    for (const [action, { update }] of rows) update(action);
    all.disabled = !ACTIONS.some(([action]) => isOwn(action));
  }

  function row(action) {
    const name = WORDS[action];
    const shown = h("td");
    const said = h("p", { class: "problem small", role: "status" });
    const acts = h("td", { class: "row wrap" });
    const press = button("Change…", () => listen(), { name: `Change the key of: ${name}` });
    const back = button("Reset", () => reset([action]), { name: `Reset the key of: ${name}` });
    const save = button("Save all the same", () => keep(wish.binding), { name: `Save all the same: ${name}` });
    const drop = button("Leave it", () => ((wish = null), draw(), press.focus()), { name: `Leave it: ${name}` });
    fill(acts, press, save, drop, back);
    const element = h("tr", null, h("th", { scope: "row" }, name, said), shown, acts);

    async function listen() {
      press.textContent = "Press keys…";
      const binding = await record(press, (so) => (press.textContent = so));
      press.textContent = "Change…";
      if (!binding) return;
      wish = null;
      if (!neighbours(action, [binding]).length) return keep(binding);
      wish = { action, binding };
      draw();
      save.focus();
    }

    async function keep(binding) {
      const hadFocus = acts.contains(document.activeElement);
      wish = null;
      await attempt(() => rebind(action, binding), { done: `${name}: ${shownKey(binding)}.`, failed: "The key stays as it was" });
      draw();
      if (hadFocus) press.focus();
    }

    /** Say what else stands on the keys of this action, or would. */
    function update() {
      const mine = wish?.action === action;
      const bindings = mine ? [wish.binding] : bindingsOf(action);
      const others = neighbours(action, bindings).map((other) => quoted(WORDS[other]));
      const wished = wish && !mine && neighbours(wish.action, [wish.binding]).includes(action);
      if (wished) others.push(quoted(WORDS[wish.action]));
      const verb = mine || wished ? "would be" : "is";
      fill(shown, bindings.map((binding) => [h("kbd", null, shownKey(binding)), " "]));
      fill(said, others.length ? `Conflict: the same key ${verb} ${others.join(" and ")} too.` : null);
      save.hidden = drop.hidden = !mine;
      press.hidden = mine;
      back.hidden = mine || !isOwn(action);
    }

    return { element, update };
  }

  async function reset(actions) {
    const work = async () => {
      for (const action of actions) await unbind(action);
    };
    await attempt(work, { done: "The keys are as they came.", failed: "Not all keys were reset" });
  }
}
