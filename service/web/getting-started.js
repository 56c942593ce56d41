// The first steps of a new organization: create a board, invite a member, connect an agent.

import { get, patch } from "./core/api.js";
import { pageUrl, SERVICE_URL } from "./core/base-path.js";
import { h, replaceChildren } from "./core/dom.js";
import { phrase } from "./core/format.js";
import { icon } from "./core/icons.js";
import { createBoard, organization, orgPath } from "./core/organization.js";
import { Resource } from "./core/resource.js";
import { boardUrl, navigate } from "./core/router.js";
import { storeValue } from "./core/storage.js";
import { smallButton } from "./ui/controls.js";
import { copyField } from "./ui/copy.js";
import { preserveFocus } from "./ui/focus.js";
import { openForm } from "./ui/form.js";
import { tryRequest } from "./ui/request.js";
import { showToast } from "./ui/toast.js";
import { renderTrelloImport } from "./settings/import.js";
import { inviteMember } from "./settings/invite.js";
import { createApiKey } from "./settings/new-key.js";

const TEMPLATES = [
  ["default_kanban", "Kanban (moving to Done needs approval)"],
  ["blank", "Empty board"]
];

const dismissedKey = () => `tandem.begun.${organization.id}`;

/** Show the first steps to an architect until all are done, or, if `isReopened`, until dismissed; return what stops it. */
export function showGettingStarted(place, isReopened) {
  const shown = new GettingStarted(place, isReopened);
  return () => shown.leave();
}

class GettingStarted {
  resource = new Resource(loadSteps, ["member", "agent", "project"]);
  left = new AbortController(); // its signal stops a running import, too
  alternatives = null; // rendered once, so that a running import is kept
  hasKey = false; // whether an API key was created here

  constructor(place, isReopened) {
    this.place = place;
    this.isReopened = isReopened;
    this.resource.addEventListener("change", () => this.draw());
    organization.addEventListener("change", () => this.draw(), { signal: this.left.signal });
    this.draw();
  }

  draw() {
    const { place, resource } = this;
    if (!organization.me || !organization.isArchitect || !resource.value) return replaceChildren(place);
    this.alternatives ??= renderAlternatives(this.left.signal);
    const { members, agents } = resource.value;
    const steps = [
      boardStep(this.alternatives),
      memberStep(members, () => resource.load()),
      agentStep(agents, this.hasKey, { created: () => this.handleKey(), approved: () => resource.load() })
    ];
    if (!this.isReopened && steps.every(({ isDone }) => isDone)) return this.dismiss();
    preserveFocus(place, () => replaceChildren(place, this.render(steps)));
  }

  render(steps) {
    const nextIndex = steps.findIndex(({ isDone }) => !isDone);
    const later = smallButton("Dismiss", () => this.dismiss());
    const head = h("div.panel-head", h("h2", "Get started"), later);
    const rows = steps.map((step, at) => renderStep(step, at === nextIndex, this.isReopened));
    return h("section", { "aria-label": "Get started" }, head, h("ol.panel.steps", rows));
  }

  handleKey() {
    this.hasKey = true;
    this.resource.load();
  }

  /** Hide the steps for good. */
  dismiss() {
    storeValue(dismissedKey(), "1");
    this.leave();
    replaceChildren(this.place);
    if (this.isReopened) navigate(pageUrl("/"), true);
  }

  leave() {
    this.left.abort();
    this.resource.close();
  }
}

async function loadSteps() {
  const [members, agents] = await Promise.all([get(orgPath("/members")), get(orgPath("/agents"))]);
  return { members, agents };
}

/** Render a step; what can be done is shown for the next step, or for all of them. */
function renderStep({ title, isDone, text, content }, isNext, showsAll) {
  const mark = h("span", { class: isDone ? "mark done" : "mark" }, icon(isDone ? "check" : "chevron"));
  const more = (showsAll || !isDone) && [h("div.small.muted", text), (showsAll || isNext) && content];
  return h("li", { class: isNext ? "item next" : "item" }, mark, h("div.what", h("strong", title), more));
}

function renderAlternatives(signal) {
  return h(
    "details",
    h("summary.small", "From Trello, or a demo"),
    renderTrelloImport(signal),
    copyField("A demo with three agents on their own board", `tandem agent-demo --url ${SERVICE_URL}`)
  );
}

function boardStep(alternatives) {
  const isDone = organization.projects.length > 0;
  return {
    title: "Create a board",
    isDone,
    text: "Cards live in columns. Transitions define who can move them where.",
    content: [h("div.row", smallButton("Create a board…", createFirstBoard, { kind: isDone ? "" : "main" })), alternatives]
  };
}

async function createFirstBoard() {
  const project = await openForm({
    title: "Create a board",
    fields: [
      { name: "title", label: "Title", required: true, maxLength: 500 },
      { name: "template", label: "Template", kind: "select", options: TEMPLATES }
    ],
    button: "Create board",
    send: ({ title, template }) => createBoard(title, template)
  });
  if (!project) return;
  const open = { label: "Open it", run: () => navigate(boardUrl(project.id)) };
  showToast({ title: phrase`The board ${project.title} is created`, actions: [open] });
}

function memberStep(members, added) {
  const isDone = members.length > 1;
  const kind = isDone ? "" : "main";
  return {
    title: "Add a person",
    isDone,
    text: "Members move cards and decide what agents ask for; architects also change board settings.",
    content: h(
      "div.row",
      smallButton("Add a person…", () => inviteMember().then(added), { kind })
    )
  };
}

/** Return the step of agents: to create an API key, then to approve those that have registered with it. */
function agentStep(agents, hasKey, { created, approved }) {
  const pending = agents.filter(({ status }) => status === "pending");
  const waitingNote = h("p.small", { role: "status" }, "Waiting for an agent to register with the API key …");
  return {
    title: "Connect an agent",
    isDone: agents.some(({ status }) => status === "approved"),
    text: "It registers with an API key and works once you approve it.",
    content: pending.length
      ? pending.map((agent) => renderPending(agent, approved))
      : [hasKey && waitingNote, h("div.row", keyButton(hasKey, created))]
  };
}

function renderPending(agent, approved) {
  const approve = async () => {
    const messages = { done: phrase`${agent.title} may work now.`, failed: phrase`${agent.title} was not approved` };
    await tryRequest(() => patch(`/agents/${encodeURIComponent(agent.id)}/approve`), messages);
    approved();
  };
  const button = smallButton("Approve", approve, { kind: "main", name: `Approve ${agent.title}` });
  return h("div.row", h("span", phrase`${agent.title} has registered.`), button);
}

function keyButton(hasKey, created) {
  const create = async () => {
    const teams = await tryRequest(() => get(orgPath("/teams")), { failed: "The API key could not be created" });
    if (teams && (await createApiKey(teams))) created();
  };
  return smallButton(hasKey ? "Another API key…" : "Create an API key…", create, { kind: hasKey ? "" : "main" });
}
