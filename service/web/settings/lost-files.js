// The files of the organization whose contents are lost.

import { get } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { listRow, renderList, renderRest, renderSection } from "../ui/list.js";

const FILES_SHOWN = 100;
const ADVICE =
  "Open the card, then upload the file again and remove this one. The operator of this service can also restore the \
contents from a backup.";

/** Return the section with the lost files; it is hidden while there are none. */
export function renderLostFiles() {
  const content = h("div.stack");
  const section = renderSection("Lost files", null, content);
  section.hidden = true;
  show(section, content).catch((error) => {
    section.hidden = false;
    replaceChildren(content, h("p.small.muted", errorText(error)));
  });
  return section;
}

async function show(section, content) {
  const { items, total } = await get(`/admin/lost-files?pageSize=${FILES_SHOWN}`);
  if (!total) return;
  const boards = await readBoards([...new Set(items.map(({ cardId }) => cardId))]);
  const files = items.map((file) => renderFile(file, boards.get(file.cardId)));
  const rows = [...files, ...renderRest(total - items.length, "file")];
  replaceChildren(content, h("p.small.muted", ADVICE), renderList(rows, "", "Lost files"));
  section.hidden = false;
}

/** Return the board of each of these cards, by card id; those on archived boards are missing. */
async function readBoards(cardIds) {
  const list = async (archived) => (await get(orgPath(`/cards?archived=${archived}&ids=${cardIds}`))).items;
  const cards = (await Promise.all([list(false), list(true)])).flat();
  return new Map(cards.map(({ id, projectId }) => [id, projectId]));
}

function renderFile({ id, name, cardKey }, projectId) {
  const title = projectId ? h("a.title", { href: boardUrl(projectId, cardKey) }, name) : name;
  return listRow({ id, title, note: cardKey });
}

/** Return a sentence about the files whose contents an export lacks, or an empty text; `blob` is the export. */
export async function describeMissingFiles(blob) {
  const start = await blob.slice(0, 1 << 20).text();
  const end = start.indexOf(',"organization":'); // not inside of a name, whose quotes are escaped
  const missing = end < 0 ? null : (JSON.parse(`${start.slice(0, end)}}`).meta.missingFiles ?? []);
  if (missing?.length === 0) return "";
  const files = !missing ? "many files" : missing.length === 1 ? "one file" : `${missing.length} files`;
  return `The contents of ${files} are lost and not in it; see Lost files.`;
}
