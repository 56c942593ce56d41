// The beginning of an organization, led: a board, a person, an agent; each step says what is next and goes once it is done.

import { get, patch } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { makeBoard, organization, path } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { bringTrello } from "./files.js";
import { notify } from "./float.js";
import { askFor, attempt, button } from "./form.js";
import { copied, invite, newKey } from "./once.js";
import { keepingFocus, Resource } from "./plainscreen.js";

const TEMPLATES = [
  ["default_kanban", "Backlog, Todo, In Progress, Review, Done; the last step asks a person"],
  ["blank", "Nothing; you draw the columns yourself"]
];

const kept = () => `tandem.begun.${organization.id}`;

/** Lead an architect through the first steps, as long as there are some; give how to end it. */
export function lead(place) {
  const resource = new Resource(read, ["member", "agent", "project"]);
  const under = new AbortController();
  let others = null; // drawn once: what is under way stays
  let hasKey = false;
  resource.addEventListener("change", draw);
  organization.addEventListener("change", draw);
  draw();

  function draw() {
    if (!organization.me || !organization.isArchitect || !resource.value) return fill(place);
    others ??= otherWays(under.signal);
    const steps = [board(others), person(resource), agent(resource, hasKey, () => ((hasKey = true), resource.load()))];
    if (steps.every(({ isDone }) => isDone)) return end();
    const isOver = steps.findIndex(({ isDone }) => !isDone);
    keepingFocus(place, () => {
      const later = button("Not now", end);
      const head = h("div.panel-head", h("h2", "Begin"), later);
      fill(
        place,
        h(
          "section",
          { "aria-label": "Begin" },
          head,
          h(
            "ol.panel.steps",
            steps.map((one, at) => step(one, at === isOver))
          )
        )
      );
    });
  }

  /** It never comes back once it is done. */
  function end() {
    localStorage.setItem(kept(), "1");
    leave();
    fill(place);
  }

  function leave() {
    under.abort();
    resource.close();
    organization.removeEventListener("change", draw);
  }

  return leave;
}

async function read() {
  const [members, agents] = await Promise.all([get(path("/members")), get(path("/agents"))]);
  return { members, agents };
}

function step({ title, isDone, text, content }, isNext) {
  const mark = h("span", { class: isDone ? "mark done" : "mark" }, icon(isDone ? "check" : "chevron"));
  const more = isDone ? null : [h("div.small.muted", text), isNext && content];
  return h(
    "li",
    { class: isNext ? "item next" : "item" },
    mark,
    h("div.what", h("strong", title), more)
  );
}

function otherWays(signal) {
  return h(
    "details",
    h("summary.small", "From Trello, or a demo"),
    bringTrello(signal),
    copied("Three agents at work on a board of their own", "python run.py agent-demo")
  );
}

function board(others) {
  return {
    title: "Make a board",
    isDone: organization.projects.length > 0,
    text: "Cards stand in its columns; the ways between them say who may move what.",
    content: [h("div.row", button("Make a board…", newBoard, { kind: "main" })), others]
  };
}

async function newBoard() {
  const project = await askFor({
    title: "Make a board",
    fields: [
      { name: "title", label: "Title", required: true, most: 500 },
      { name: "template", label: "It begins with", kind: "select", options: TEMPLATES }
    ],
    button: "Make the board",
    send: ({ title, template }) => makeBoard(title, template)
  });
  if (!project) return;
  const open = { label: "Open it", run: () => go(boardAddress(project.id)) };
  notify({ title: `The board ${project.title} is there`, actions: [open] });
}

function person(resource) {
  return {
    title: "Add a person",
    isDone: resource.value.members.length > 1,
    text: "Members move cards and decide what agents ask for; architects design boards too.",
    content: h(
      "div.row",
      button("Add a person…", () => invite().then(() => resource.load()), { kind: "main" })
    )
  };
}

function agent(resource, hasKey, made) {
  const { agents } = resource.value;
  const pending = agents.filter(({ status }) => status === "pending");
  const make = async () => {
    const teams = await attempt(() => get(path("/teams")), { failed: "A key cannot be made" });
    if (teams && (await newKey(teams))) made();
  };
  const approve = async ({ id, title }) => {
    const told = { done: `${title} may work now.`, failed: `${title} was not approved` };
    await attempt(() => patch(`/agents/${encodeURIComponent(id)}/approve`), told);
    resource.load();
  };
  const waits = pending.map((one) =>
    h(
      "div.row",
      h("span", `${one.title} has registered.`),
      button("Approve", () => approve(one), { kind: "main", name: `Approve ${one.title}` })
    )
  );
  const listening = h("p.small", { role: "status" }, "Waiting for an agent to register with the key …");
  return {
    title: "Connect an agent",
    isDone: agents.some(({ status }) => status === "approved"),
    text: "It registers with a key, and works once you approve it.",
    content: [
      pending.length > 0 ? waits : hasKey && listening,
      pending.length === 0 &&
        h(
          "div.row",
          button(hasKey ? "Another key…" : "Make a key…", make, { kind: hasKey ? "" : "main" })
        )
    ]
  };
}
