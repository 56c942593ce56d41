// Things that wait for a person, as rows that are decided in place.

import { get, now, patch, put } from "../core/api.js";
import { h, mark } from "../core/dom.js";
import { live } from "../core/live.js";
import { noteWaiting, organization, path } from "../core/organization.js";
import { boardAddress } from "../core/route.js";
import { seeAll } from "../core/store.js";
import { age, brief, quoted, reasons } from "../core/words.js";
import { answerForm, approve, reject } from "./deciding.js";
import { announce, ask, refuse } from "./float.js";
import { agentFace } from "./face.js";

/** Give the id of a thing that waits, the same as long as it waits. */
function idOf({ kind, requestId, commentId, cardId, agentId }) {
  return [kind, requestId ?? commentId ?? cardId ?? agentId].join(" ");
}

/** Draw a thing that waits; `context` gives names, marks, may(action), and done(). */
export function waitingRow(item, context) {
  const { title, text, mark: sign, buttons, below } = (KINDS[item.kind] ?? other)(item, context);
  const heading = item.card
    ? h("a.title", { href: boardAddress(item.card.projectId, item.card.key) }, title)
    : h("span.title", title);
  const key = item.card && h("span.key", item.card.key);
  const since = h("span.muted", ` · ${age(item.since, now())}`);
  const said = item.blockers?.length ? reasons({ details: { blockers: item.blockers } }, context.names).join(" ") : "";
  const problem = said && h("p.problem.small", said);
  return h(
    "li.item",
    { "data-id": idOf(item), tabindex: "-1" },
    sign,
    h("div.what", h("div", heading, " ", key), h("div.small", text, since), problem, below),
    buttons && h("div.row", buttons)
  );
}

function button(words, run, isMain = false, name = null) {
  const kind = isMain ? "button small main" : "button small";
  return h("button", { class: kind, "aria-label": name, "data-do": name && words, click: run }, words);
}

const KINDS = {
  move_request(item, { names, marks, may, done }) {
    const who = item.agent?.title ?? item.agentId;
    const way = `${names.column(item.fromColumnId)} → ${names.column(item.toColumnId)}`;
    const yes = () => approve(item.requestId, item.card.title, names).then(done);
    const no = () => reject(item.requestId, item.card.title, who, names).then(done);
    const note = item.note && h("span.quote", ` · ${quoted(brief(item.note, 300))}`);
    return {
      title: item.card.title,
      text: [h("strong", who), ` asks: ${way}`, note],
      mark: agentFace(marks.get(item.agentId), who, true),
      buttons: may("transition") && [
        button("Approve", yes, true, `Approve ${item.card.key}`),
        button("Reject…", no, false, `Reject ${item.card.key}`)
      ]
    };
  },
  question(item, { names, marks, may, done }) {
    const who = item.agent?.title ?? item.agentId;
    return {
      title: item.card.title,
      text: [h("strong", who), " asks: ", h("span.quote", item.content)],
      mark: agentFace(marks.get(item.agentId), who, true),
      below: may("comment") && answerForm(item, names, done)
    };
  },
  handed_over: (item, { marks, names }) => ({
    title: item.card.title,
    text: [h("strong", item.agent?.title ?? item.agentId), ` has handed it over in ${names.column(item.card.columnId)}`],
    mark: agentFace(marks.get(item.agentId), item.agent?.title ?? "", true)
  }),
  pending_agent: (item, context) => ({
    title: `The agent ${item.agent?.title ?? item.agentId} waits for approval.`,
    text: "A new agent may do nothing before an architect approves it.",
    mark: mark("key", "warn"),
    buttons: organization.isArchitect && [
      button("Approve", () => turn(item, "approve", context), true, `Approve ${item.agentId}`)
    ]
  }),
  stopped_agent: (item, context) => ({
    title: item.message,
    text: "Resume sets its counters back.",
    mark: mark("stop", "danger"),
    buttons: organization.isArchitect && [
      button("Resume", () => turn(item, "resume", context), false, `Resume ${item.agentId}`)
    ]
  }),
  expired_claim: (item) => ({
    title: item.message,
    text: "Nobody holds the card now; another agent may take it.",
    mark: mark("clock", "warn")
  })
};

function other(item) {
  return { title: item.card?.title ?? item.message, text: item.card ? item.message : "", mark: mark("bell", "warn") };
}

async function turn({ agentId }, verb, { names, done }) {
  await change(`/agents/${encodeURIComponent(agentId)}/${verb}`, `The agent was not ${verb}d`, names);
  done();
}

async function change(address, title, names) {
  try {
    await patch(address);
    announce("Done.");
  } catch (error) {
    refuse(title, reasons(error, names).join(" "), address);
  }
}

/** What it is for an agent to be stopped. */
export const STOPPED = "It may do nothing until somebody lets it work again, and the cards that it works on are free.";

/** Ask, and stop an agent. */
export async function stopAgent({ id, title }, { names, done }) {
  if ((await ask({ title: `Stop ${title}?`, text: STOPPED, button: "Stop it" })) === null) return;
  await change(`/agents/${encodeURIComponent(id)}/stop`, `${title} was not stopped`, names);
  done();
}

// What Now shows: what waits for a person, which agents work, what they were refused, what happened since the last look.
const SHOWN = 50; // things of each kind
const REFUSED = 12; // rows of what agents were refused
const CAUGHT_UP = 50; // cards that others did something to
const RENEWED = 20_000; // milliseconds after which leases are looked at again, since a renewal writes no event
const GATHERING_MILLISECONDS = 300; // milliseconds for which news gather

/** Tells `change` when what it shows has changed; `error` is what the last look met. */
export class NowStore extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { items: [], counts: {}, agents: [], refusals: [] });
    Object.assign(this, { caught: { items: [], total: 0, next: null }, error: null });
    this.hear = () => (this.waiting ??= setTimeout(() => this.load(), GATHERING_MILLISECONDS));
    live.addEventListener("news", this.hear);
    this.timer = setInterval(() => document.hidden || this.load(), RENEWED);
    this.ready = this.load();
  }

  close() {
    live.removeEventListener("news", this.hear);
    clearInterval(this.timer);
    clearTimeout(this.waiting);
    this.isClosed = true;
  }

  async load() {
    clearTimeout(this.waiting);
    this.waiting = null;
    try {
      await Promise.all([this.readAttention(), this.readAgents(), this.readRefusals(), this.readCaught()]);
      Object.assign(this, { error: null, isRead: true });
    } catch (error) {
      this.error = error;
    }
    if (!this.isClosed) this.dispatchEvent(new Event("change"));
  }

  async readAttention() {
    const { items, counts } = await get(path(`/attention?limit=${SHOWN}`));
    Object.assign(this, { items, counts });
    const { overdue_card: _, ...waiting } = counts;
    noteWaiting(Object.values(waiting).reduce((sum, number) => sum + number, 0));
  }

  async readAgents() {
    this.agents = await get(path("/agents?include=work"));
  }

  async readRefusals() {
    this.refusals = (await get(path(`/refusals?pageSize=${REFUSED}`))).items;
  }

  /** Read what others did since the person last said that all is seen, one entry a card. */
  async readCaught() {
    this.caught = await get(path(`/catch-up?limit=${CAUGHT_UP}`));
  }

  /** Set the mark to what the last look brought, in all browsers of the person. */
  async markSeen() {
    await put(path("/seen"), { eventId: this.caught.next });
    seeAll();
    await this.load();
  }
}
