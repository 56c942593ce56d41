// How much room the organization takes, and how much it may take.

import { get } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatBytes, phrase } from "../core/format.js";
import { renderPairs, renderSection } from "../ui/list.js";

const FULL =
  "The quota is used: what needs space is refused. Moving, archiving and deleting go on. Delete archived boards and \
cards permanently to make room, or ask the operator of this service for more.";

/** Return the section with the use of the database and of files. */
export function renderStorage() {
  const content = h("div.inline", { role: "status" }, h("p.small.muted", "…"));
  get("/admin/storage").then(
    (storage) => replaceChildren(content, renderUse(storage)),
    (error) => replaceChildren(content, h("p.small.muted", errorText(error)))
  );
  return renderSection("Storage", null, content);
}

function renderUse({ database, files }) {
  const isFull = database.quotaBytes !== null && database.usedBytes >= database.quotaBytes;
  const pairs = [
    ["Database", phrase`about ${describeUse(database)}`],
    ["Files", describeUse(files)]
  ];
  return [renderPairs("facts", pairs), isFull && h("p.problem", FULL)];
}

function describeUse({ usedBytes, quotaBytes }) {
  const used = formatBytes(usedBytes);
  return quotaBytes === null ? `${used}, no quota` : `${used} of ${formatBytes(quotaBytes)}`;
}
