// Board settings: columns, transitions and card types.

import { get, patch, post, remove } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { formatCount, phrase } from "../core/format.js";
import { drawPart } from "../core/guard.js";
import { organization, orgPath } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { actionButtonFor, selectInput, switchInput } from "../ui/controls.js";
import { promptDialog } from "../ui/dialog.js";
import { openForm, titleField } from "../ui/form.js";
import { listRow, renderSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { tryRequest } from "../ui/request.js";
import { changeWithUndo, offerUndo, revertTo } from "../ui/undo.js";
import { renderCardTypes } from "./card-types.js";
import { renderColumns } from "./columns.js";
import { loadDesign } from "./store.js";
import { renderTransitions } from "./transitions.js";

export function show(host, { project: projectId }) {
  return createPage(host, {
    title: "Board settings",
    read: () => loadDesign(projectId),
    resources: ["column", "transition", "cardType", "field", "prompt", "project"],
    kind: "designs",
    tools: () => [renderBoardChoice(projectId), h("a.button.small", { href: boardUrl(projectId) }, "Open board")],
    draw: (design, done) => [
      architectsOnlyNote(),
      drawPart("The board", () => renderBoard(design, done)),
      drawPart("Columns", () => renderColumns(design, done)),
      drawPart("Transitions", () => renderTransitions(design, done)),
      drawPart("Card types", () => renderCardTypes(design, done))
    ]
  });
}

const boardPath = ({ id }) => orgPath(`/projects/${encodeURIComponent(id)}`);

/** Render the title of the board, and for architects the actions on the whole board. */
function renderBoard({ project }, done) {
  const actionButton = actionButtonFor("the board");
  const actions = organization.isArchitect && [
    actionButton("Rename…", () => renameBoard(project, done)),
    actionButton("Archive", () => archiveBoard(project))
  ];
  const note = `Card keys: ${project.key}-1, ${project.key}-2 …`;
  const row = listRow({ id: project.id, title: h("strong", project.title), text: note, actions });
  const content = [h("ul.panel", { "aria-label": "Board" }, row), renderDisplay(project, done)];
  return renderSection("Board", null, content);
}

/** Render the switches of what the cards of the board show besides fields. */
function renderDisplay(project, done) {
  const displaySwitch = (key, label, message) =>
    switchInput(
      label,
      project.display[key],
      (on) => {
        const changes = { display: { ...project.display, [key]: on } };
        const undo = revertTo({ list: orgPath("/projects"), address: boardPath(project) }, project, changes);
        const messages = { message: `Cards ${on ? "show" : "no longer show"} ${message}`, failed: "Cards show what they did" };
        return changeWithUndo(() => patch(boardPath(project), changes), { ...messages, undo }, done);
      },
      { disabled: !organization.isArchitect }
    );
  return h(
    "div.flags",
    displaySwitch("attachments", "Cards show the number of files", "the number of files"),
    displaySwitch("progress", "Cards show progress", "progress")
  );
}

function renameBoard(project, done) {
  const key = {
    label: "Key",
    maxLength: 10,
    hint: "2 to 10 capital letters and digits; cards are found by former keys too"
  };
  return openForm({
    title: "Rename the board",
    fields: [titleField(project.title), { name: "key", value: project.key, required: true, ...key }],
    button: "Rename",
    send: async (changes) => {
      await patch(boardPath(project), changes);
      const undo = revertTo({ list: orgPath("/projects"), address: boardPath(project) }, project, changes);
      offerUndo(phrase`${project.title} is called ${changes.title} now`, () => undo().finally(done));
      done();
    }
  });
}

/** Ask if agents are at work on a board, or wait for a decision. */
async function isArchivingConfirmed(project) {
  const read = () => get(orgPath(`/board?projectId=${encodeURIComponent(project.id)}`));
  const board = await tryRequest(read, { failed: phrase`${project.title} was not archived` });
  if (!board) return false;
  const agents = new Set(board.claims.map(({ agentId }) => agentId)).size;
  const requests = board.cards.filter(({ request }) => request).length;
  if (!agents && !requests) return true;
  const [work, open] = [agents && `${formatCount(agents, "agent")} at work`, requests && formatCount(requests, "open request")];
  const text = `${[work, open].filter(Boolean).join(", ")}. Claims end, and requests can no longer be approved.`;
  return (await promptDialog({ title: phrase`Archive ${project.title}?`, text, button: "Archive" })) !== null;
}

async function archiveBoard(project) {
  if (!(await isArchivingConfirmed(project))) return;
  const messages = {
    message: phrase`${project.title} is in the archive with its cards`,
    failed: phrase`${project.title} was not archived`
  };
  const undo = async () => void (await post(`/archive/project/${encodeURIComponent(project.id)}/restore`));
  /** @type {[action: string, resource: string][]} */
  const needs = [["update", "Archive"]];
  if (await changeWithUndo(() => remove(boardPath(project)), { ...messages, undo, needs })) navigate(pageUrl("/"));
}

function renderBoardChoice(projectId) {
  const options = organization.projects.map(({ id, title }) => [id, title]);
  return selectInput("Board", options, projectId, (id) => navigate(`${boardUrl(id)}/design`));
}
