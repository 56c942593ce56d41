// Archive: what was put away, and the way back; or out for good, which asks for the name.

import { get, now, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { age, brief, moment, quoted } from "../core/words.js";
import { askFor, button, row, rows, section } from "../parts/form.js";
import { plainScreen, Resource, SHEETS } from "../parts/plainscreen.js";
import { change } from "../parts/refused.js";

export { SHEETS };

const PAGE = 50;
const KINDS = [
  ["", "Everything"],
  ["card", "Cards"],
  ["project", "Boards"],
  ["team", "Teams"],
  ["organization", "Organizations"],
];
const WORDS = { card: "card", project: "board", team: "team", organization: "organization" };
const ICONS = { card: "file", project: "board", team: "person", organization: "parts" };
const GONE = {
  card: "Its comments, files and history go with it.",
  project: "All its columns, cards, comments, files and history go with it.",
  team: "Its agents are stopped and its keys switched off.",
  organization: "Everything in it goes with it: boards, cards, files, agents, keys, members.",
};

export function show(host) {
  let kind = "";
  let many = PAGE;
  const resource = new Resource(() => read(kind, many), ["card", "project", "team", "organization"]);
  const done = () => resource.load();
  const more = () => ((many += PAGE), done());
  const choose = (value) => ((kind = value), (many = PAGE), done());
  return plainScreen(host, {
    title: "Archive",
    resource,
    draw: ({ items, total, may }) => {
      const list = rows(
        items.map((item) => itemRow(item, may, done)),
        "Nothing is in the archive.",
        "Archive",
      );
      const rest = items.length < total && button("Show more", more);
      return section("Archive", total, [list, rest && h("div", { class: "row" }, rest)], filter(kind, choose));
    },
  });
}

/** Read the first so many things of a kind, and what the caller's role may do with them. */
async function read(type, many) {
  const kind = type && `&type=${type}`;
  const pages = Array.from({ length: Math.ceil(many / PAGE) }, (_, at) =>
    get(`/archive?pageSize=${PAGE}&page=${at + 1}${kind}`),
  );
  const [rights, ...found] = await Promise.all([get("/permissions"), ...pages]);
  const role = organization.isArchitect ? "SolutionArchitect" : "Member";
  const may = rights.find((one) => one.role === role && one.resource === "Archive")?.actions ?? [];
  return { items: found.flatMap(({ items }) => items), total: found[0].total, may };
}

function filter(kind, choose) {
  const select = h("select", { class: "input small", "aria-label": "Which kind" });
  for (const [value, words] of KINDS) select.append(h("option", { value }, words));
  select.value = kind;
  select.addEventListener("change", () => choose(select.value));
  return select;
}

function itemRow(item, may, done) {
  const { type, id, key, title, archivedAt, archivedBy } = item;
  const act = (words, run) =>
    button(words, () => run(item).then(done), { name: `${words.replace("…", "")} ${brief(title)}` });
  const by = archivedBy && ` by ${archivedBy.label ?? archivedBy.id}`;
  return row({
    id: `${type} ${id}`,
    mark: h("span", { class: "mark" }, icon(ICONS[type])),
    title: h("strong", null, title),
    note: [key, key && " · ", WORDS[type]],
    text: h("span", { title: moment(archivedAt) }, `archived ${age(archivedAt, now())}`, by),
    actions: [
      may.includes("update") && act("Restore", restore),
      may.includes("delete") && organization.isArchitect && act("Remove for good…", removeForGood),
    ],
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
    send: () => remove(address(item)),
  });
}
