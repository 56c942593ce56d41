// Board design: columns, ways and card types of one board; each switch saves at once and says what it changes for agents.

import { get, patch, post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { changedWay, readDesign, wayOf, waysOut } from "../parts/design.js";
import { columnsSection } from "../parts/designcolumns.js";
import { typesSection } from "../parts/designtypes.js";
import { askFor, button, choice, row, section, titleField } from "../parts/form.js";
import { acting, onlyArchitects, plainScreen, scrolled, table } from "../parts/plainscreen.js";
import { change, former, offerUndo } from "../parts/refused.js";

export function show(host, { project: projectId }) {
  return plainScreen(host, {
    title: "Board design",
    read: () => readDesign(projectId),
    nouns: ["column", "transition", "cardType", "field", "prompt", "project"],
    kind: "designs",
    tools: () => [boards(projectId), h("a.button.small", { href: boardAddress(projectId) }, "To the board")],
    draw: (design, done) => [
      onlyArchitects(),
      boardSection(design, done),
      columnsSection(design, done),
      waysSection(design, done),
      typesSection(design, done)
    ]
  });
}

const home = ({ id }) => path(`/projects/${encodeURIComponent(id)}`);

/** Draw what the board is called, and for architects what to do with the whole of it. */
function boardSection({ project }, done) {
  const act = acting("the board");
  const actions = organization.isArchitect && [
    act("Rename…", () => rename(project, done)),
    act("Archive", () => archive(project))
  ];
  const note = `Its cards are called ${project.key}-1, ${project.key}-2 and so on.`;
  const it = row({ id: project.id, title: h("strong", project.title), text: note, actions });
  return section("Board", null, h("ul.panel", { "aria-label": "Board" }, it));
}

function rename(project, done) {
  const key = { label: "Key", most: 10, hint: "2 to 10 capital letters and digits; cards are found by former keys too" };
  return askFor({
    title: "Rename the board",
    fields: [
      titleField(project.title),
      { name: "key", value: project.key, required: true, ...key }
    ],
    button: "Rename",
    send: async (wanted) => {
      await patch(home(project), wanted);
      const undo = former({ list: path("/projects"), address: home(project) }, project, wanted);
      offerUndo(`${project.title} is called ${wanted.title} now`, () => undo().finally(done));
      done();
    }
  });
}

async function archive(project) {
  const told = { says: `${project.title} is in the archive with its cards`, failed: `${project.title} was not archived` };
  const back = async () => void (await post(`/archive/project/${encodeURIComponent(project.id)}/restore`));
  if (await change(() => remove(home(project)), { ...told, back })) go("/");
}

function boards(projectId) {
  const options = organization.projects.map(({ id, title }) => [id, title]);
  return choice("Board", options, projectId, (id) => go(`${boardAddress(id)}/design`));
}

// The ways of a board's design: a matrix from and to, the same as a list for narrow screens, and as sentences.
const STATES = { no: "no", yes: "yes", approval: "asks a person" };
const NEXT = { no: "yes", yes: "approval", approval: "no" };
const REPEATED_FROM = 8; // rows from which the heads of the columns stand below as well

const address = ({ id }) => path(`/transitions/${encodeURIComponent(id)}`);

/** Draw the ways between all columns; `done` is told when one was changed. */
function waysSection(design, done) {
  const words = "A press changes a way: no, yes, asks a person (agents ask, a person decides), no.";
  const hint = h("p.small.muted", words);
  const said = design.columns.map((from) => h("li", h("bdi", waysOut(design, from))));
  const sentences = h("ul.small.sentences", said);
  return section("Ways", design.ways.length, [
    organization.isArchitect && hint,
    matrix(design, done),
    narrow(design, done),
    sentences
  ]);
}

function matrix(design, done) {
  const { columns } = design;
  const lines = columns.map((from) => [from.title, ...columns.map((to) => cell(design, from, to, done))]);
  const whole = table("matrix", [null, ...columns.map(({ title }) => title)], lines);
  if (columns.length >= REPEATED_FROM) whole.append(h("tfoot", whole.querySelector("tr").cloneNode(true)));
  return scrolled("matrix-frame", "Ways from and to", whole);
}

function narrow(design, done) {
  const ways = (from) =>
    design.columns
      .filter((to) => to !== from)
      .map((to) => h("div.row", h("span", `to ${to.title}`), cell(design, from, to, done)));
  const items = design.columns.map((from) =>
    h("li.item.design", h("strong", `From ${from.title}`), ways(from))
  );
  return h("ul.panel.ways-narrow", { "aria-label": "Ways" }, items);
}

function cell(design, from, to, done) {
  if (from === to) return null;
  const state = stateOf(wayOf(design, from, to));
  const label = `${from.title} → ${to.title}: ${STATES[state]}`;
  if (!organization.isArchitect)
    return h("span", { class: `edge ${state}`, role: "img", "aria-label": label }, STATES[state]);
  const press = () => turn(design, from, to, done);
  const named = { class: `edge ${state}`, "aria-label": label, "data-key": `${from.id} ${to.id}` };
  return h("button", { ...named, click: press }, STATES[state]);
}

function stateOf(way) {
  if (!way) return "no";
  return way.requiresApproval ? "approval" : "yes";
}

async function turn(design, from, to, done) {
  const before = stateOf(wayOf(design, from, to));
  const wanted = NEXT[before];
  const back = async () => {
    const ways = await get(path(`/transitions?projectId=${encodeURIComponent(design.project.id)}`));
    if (stateOf(wayOf({ ways }, from, to)) !== wanted) return "Somebody changed it since, so it stays as it is.";
    await set(wayOf({ ways }, from, to), from, to, before);
  };
  const failed = `The way from ${from.title} to ${to.title} stays as it was`;
  const says = changedWay(from, to, wanted);
  await change(() => set(wayOf(design, from, to), from, to, wanted), { says, failed, back }, done);
}

function set(way, from, to, state) {
  const requiresApproval = state === "approval";
  if (!way) return post(path("/transitions"), { fromColumnId: from.id, toColumnId: to.id, requiresApproval });
  return state === "no" ? remove(address(way)) : patch(address(way), { requiresApproval });
}
