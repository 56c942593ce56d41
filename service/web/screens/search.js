// What is on no board that one looks at: cards of all boards, found by words or by their key, and the archive.

import { get, now, post, remove } from "../core/api.js";
import { fill, h, mark } from "../core/dom.js";
import { boardTitle, findCards, organization, path, QUERY_CHARACTERS_MAX } from "../core/organization.js";
import { go, searchAddress } from "../core/route.js";
import { age, brief, count, moment, quoted, refusal } from "../core/words.js";
import { askFor, button, choice, row, rows, section } from "../parts/form.js";
import { acting, plainScreen } from "../parts/plainscreen.js";
import { change } from "../parts/refused.js";
import { cardTitle } from "../parts/face.js";

const TYPING = 200; // milliseconds after the last letter until something is asked for
const PAGE = 20;

/** Show the one or the other, as the address says. */
export function show(host, address) {
  return address.project === "search" ? search(host, address) : archive(host);
}

function search(host, address) {
  const named = { placeholder: "Words, or the key of a card", "aria-label": "Search all boards" };
  const field = h("input.input", { type: "search", maxlength: QUERY_CHARACTERS_MAX, ...named });
  const state = h("p.small.muted", { role: "status" });
  const list = h("ul.panel", { hidden: true });
  const more = h("button.button.small", { hidden: true }, "Show more");
  const body = h("div.now.search", field, state, list, more);
  let typing = null;
  let turn = 0;
  let page = 1;

  fill(host, h("header.head", h("h1", "Search")), body);
  field.value = address.query.get("q") ?? "";
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go(searchAddress(field.value), true), TYPING);
  });
  more.addEventListener("click", () => look(page + 1));
  field.focus();
  look(1);

  async function look(wanted) {
    const mine = ++turn;
    const q = field.value.trim();
    page = wanted;
    if (!q) return fill(state, "Type what the card is about.");
    try {
      const { items, total } = await findCards(q, wanted, PAGE);
      if (mine !== turn) return;
      if (wanted === 1) fill(list);
      list.append(...items.map(cardRow));
      list.hidden = list.children.length === 0;
      more.hidden = page * PAGE >= total;
      fill(state, list.hidden ? "Nothing was found." : count(Math.max(total, list.children.length), "card"));
    } catch (error) {
      if (mine === turn) fill(state, refusal(error));
    }
  }

  return {
    title: "Search",
    update({ project, query }) {
      if (project !== "search") return false;
      const q = query.get("q") ?? "";
      if (document.activeElement !== field) field.value = q;
      look(1);
      return true;
    },
    leave: () => clearTimeout(typing)
  };
}

function cardRow({ cardKey, projectId, title, snippets }) {
  const where = h("span.muted.small", ` · ${boardTitle(projectId)}`);
  const head = h("div", cardTitle(projectId, cardKey, title), where);
  return h("li.item", h("div.what", head, snippets.map(passage)));
}

/** Draw a passage with what was found in it marked; texts stay texts. */
function passage({ text, hits }) {
  const letters = [...text]; // hits count characters of Unicode
  const stretch = (from, to) => letters.slice(from, to).join("");
  const parts = [];
  let at = 0;
  for (const [from, to] of hits) {
    parts.push(stretch(at, from), h("mark", stretch(from, to)));
    at = to;
  }
  return h("div.small", parts, stretch(at));
}

// Archive: what was put away, and the way back; or out for good, which asks for the name.
const ARCHIVED = 50;
const KINDS = [
  ["", "Everything"],
  ["card", "Cards"],
  ["project", "Boards"],
  ["team", "Teams"],
  ["organization", "Organizations"]
];
const WORDS = { card: "card", project: "board", team: "team", organization: "organization" };
const ICONS = { card: "file", project: "board", team: "person", organization: "parts" };
const GONE = {
  card: "Its comments, files and history go with it.",
  project: "All its columns, cards, comments, files and history go with it.",
  team: "Its agents are stopped and its keys switched off.",
  organization: "Everything in it goes with it: boards, cards, files, agents, keys, members."
};

function archive(host) {
  let kind = "";
  let many = ARCHIVED;
  return plainScreen(host, {
    title: "Archive",
    read: () => readArchive(kind, many),
    nouns: ["card", "project", "team", "organization"],
    draw: ({ items, total, rights }, done) => {
      const role = organization.isArchitect ? "SolutionArchitect" : "Member";
      const may = rights.find((one) => one.role === role && one.resource === "Archive")?.actions ?? [];
      const more = () => ((many += ARCHIVED), done());
      const choose = (value) => ((kind = value), (many = ARCHIVED), done());
      const list = rows(items.map((item) => itemRow(item, may, done)), "Nothing is in the archive.", "Archive");
      const rest = items.length < total && h("div.row", button("Show more", more));
      return section("Archive", total, [list, rest], choice("Which kind", KINDS, kind, choose));
    }
  });
}

/** Read the first so many things of a kind, and what roles may do with them. */
async function readArchive(type, many) {
  const kind = type && `&type=${type}`;
  const pages = Array.from({ length: Math.ceil(many / ARCHIVED) }, (_, at) =>
    get(`/archive?pageSize=${ARCHIVED}&page=${at + 1}${kind}`)
  );
  const [rights, ...found] = await Promise.all([get("/permissions"), ...pages]);
  return { items: found.flatMap(({ items }) => items), total: found[0].total, rights };
}

function itemRow(item, may, done) {
  const { type, id, key, title, archivedAt, archivedBy } = item;
  const act = acting(brief(title), done);
  const by = archivedBy && ` by ${archivedBy.label ?? archivedBy.id}`;
  return row({
    id: `${type} ${id}`,
    mark: mark(ICONS[type]),
    title: h("strong", title),
    note: [key, key && " · ", WORDS[type]],
    text: h("span", { title: moment(archivedAt) }, `archived ${age(archivedAt, now())}`, by),
    actions: [
      may.includes("update") && act("Restore", () => restore(item)),
      may.includes("delete") && organization.isArchitect && act("Remove for good…", () => removeForGood(item))
    ]
  });
}

const address = ({ type, id }) => `/archive/${type}/${encodeURIComponent(id)}`;

function home({ type, id }) {
  const rest = `/${type}s/${encodeURIComponent(id)}`;
  return type === "card" || type === "organization" ? rest : path(rest);
}

function restore(item) {
  const told = { says: `${item.title} is back`, failed: `${quoted(brief(item.title))} stays in the archive` };
  const back = async () => void (await remove(home(item)));
  return change(() => post(`${address(item)}/restore`), { ...told, back });
}

/** Ask for the name, so that nobody removes for good what they did not mean. */
function removeForGood(item) {
  const { type, title, key } = item;
  const name = key ?? title;
  const typed = { name: "typed", label: `Type ${name} to go on`, required: true, is: name };
  return askFor({
    title: `Remove the ${WORDS[type]} ${quoted(brief(title))} for good?`,
    text: `${GONE[type]} Nobody can bring it back.`,
    fields: [typed],
    button: "Remove for good",
    send: () => remove(address(item))
  });
}
