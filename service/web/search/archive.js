// The archive.

import { get, post, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatDateTime, phrase, quote, truncate } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization, orgPath } from "../core/organization.js";
import { actionButtonFor, selectInput, smallButton } from "../ui/controls.js";
import { openForm } from "../ui/form.js";
import { drawRows, listRow, renderList, renderSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { SEARCHABLE_ROWS, searchField } from "../ui/search-field.js";
import { changeWithUndo } from "../ui/undo.js";

/** @import { Right } from "../ui/rights.js" */

const ARCHIVED = 50;
const KINDS = [
  ["", "Everything"],
  ["card", "Cards"],
  ["project", "Boards"],
  ["team", "Teams"],
  ["organization", "Organizations"]
];
const WORDS = { __proto__: null, card: "card", project: "board", team: "team", organization: "organization" };
const ICONS = { __proto__: null, card: "file", project: "board", team: "person", organization: "parts" };
const GONE = {
  __proto__: null,
  card: "Its comments, files and history go with it.",
  project: "All its columns, cards, comments, files and history go with it.",
  team: "Its agents are stopped and its API keys disabled.",
  organization: "Everything in it goes with it: boards, cards, files, agents, keys, members."
};
/**
 * The permissions that archiving takes; only architects archive the rest.
 * @type {Record<string, Right[]>}
 */
const NEEDED_TO_ARCHIVE = { __proto__: null, card: [["delete", "Card"]], project: [["delete", "Project"]] };

export function show(host) {
  let kind = "";
  let text = "";
  let limit = ARCHIVED;
  return createPage(host, {
    title: "Archive",
    read: () => loadArchive(kind, text, limit),
    resources: ["card", "project", "team", "organization"],
    draw: ({ items, total, rights }, done) => {
      const role = organization.isArchitect ? "SolutionArchitect" : "Member";
      const may = rights.find((permission) => permission.role === role && permission.resource === "Archive")?.actions ?? [];
      const more = () => ((limit += ARCHIVED), done());
      const choose = (value) => ((kind = value), (limit = ARCHIVED), done());
      const search = (typed) => ((text = typed), (limit = ARCHIVED), done());
      const field = (text || total >= SEARCHABLE_ROWS) && searchField("Search the archive", text, search);
      const list = renderList(
        drawRows(items, (item) => renderItem(item, may, done), {
          remove: may.includes("delete") && ((item) => removeForGood(item).then(done))
        }),
        text || kind ? "Nothing in the archive matches." : "The archive is empty.",
        "Archive"
      );
      const rest = items.length < total && h("div.row", smallButton("Show more", more));
      return renderSection("Archive", total, [list, rest], h("div.row", field, selectInput("Kind", KINDS, kind, choose)));
    }
  });
}

/** Load the first archived items of a kind with a text in the title, and the permissions of the user for them. */
async function loadArchive(type, text, limit) {
  const kind = (type && `&type=${type}`) + (text && `&q=${encodeURIComponent(text)}`);
  const pages = Array.from({ length: Math.ceil(limit / ARCHIVED) }, (_, at) =>
    get(`/archive?pageSize=${ARCHIVED}&page=${at + 1}${kind}`)
  );
  const [rights, ...found] = await Promise.all([get("/permissions"), ...pages]);
  return { items: found.flatMap(({ items }) => items), total: found[0].total, rights };
}

function renderItem(item, may, done) {
  const { type, id, key, title, archivedAt, archivedBy } = item;
  const actionButton = actionButtonFor(truncate(title), done);
  const by = archivedBy && phrase` by ${archivedBy.label ?? archivedBy.id}`;
  return listRow({
    id: `${type} ${id}`,
    mark: markIcon(ICONS[type]),
    title: h("strong", title),
    note: [key, key && " · ", WORDS[type]],
    text: h("span", { title: formatDateTime(archivedAt) }, `archived ${formatAge(archivedAt, serverNow())}`, by),
    actions: [
      may.includes("update") && actionButton("Restore", () => restore(item)),
      may.includes("delete") && organization.isArchitect && actionButton("Delete permanently…", () => removeForGood(item))
    ]
  });
}

const archivePath = ({ type, id }) => `/archive/${type}/${encodeURIComponent(id)}`;

function resourcePath({ type, id }) {
  const rest = `/${type}s/${encodeURIComponent(id)}`;
  return type === "card" || type === "organization" ? rest : orgPath(rest);
}

function restore(item) {
  const told = { message: phrase`${item.title} is back`, failed: `${quote(truncate(item.title))} stays in the archive` };
  const back = async () => void (await remove(resourcePath(item)));
  const undo = (organization.isArchitect || item.type === "card" || item.type === "project") && back;
  const needs = NEEDED_TO_ARCHIVE[item.type] ?? [];
  return changeWithUndo(() => post(`${archivePath(item)}/restore`), { ...told, undo, needs });
}

/** Ask for the name before a permanent deletion, to prevent mistakes. */
function removeForGood(item) {
  const { type, title, key } = item;
  const name = key ?? title;
  const typed = { name: "typed", label: `Type ${name} to continue`, required: true, is: name };
  return openForm({
    title: `Remove the ${WORDS[type]} ${quote(truncate(title))} permanently?`,
    text: `${GONE[type]} Nobody can bring it back.`,
    fields: [typed],
    button: "Delete permanently",
    send: () => remove(archivePath(item))
  });
}
