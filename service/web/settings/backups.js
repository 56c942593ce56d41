// When the last backup of the service was made and verified, and what of this organization it lacks.

import { get } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount, formatDateTime } from "../core/format.js";
import { renderPairs, renderSection } from "../ui/list.js";

/** Return the section about the last backup. */
export function renderBackups() {
  const content = h("div.inline", { role: "status" }, h("p.small.muted", "…"));
  get("/admin/backups").then(
    (backups) => replaceChildren(content, renderLast(backups)),
    (error) => replaceChildren(content, h("p.small.muted", errorText(error)))
  );
  return renderSection("Backups", null, content);
}

function renderLast({ last, next, problem }) {
  const following = next && ["Next backup", formatDateTime(next)];
  const problemText = problem && h("p.problem", problem);
  if (!last && next) return [h("p.small.muted", "No backup was made yet."), renderPairs("facts", [following]), problemText];
  if (!last) return h("p.small.muted", "This service knows of no backup. Its operator makes them: tandem backup.");
  const pairs = [
    ["Last backup", formatDateTime(last.at)],
    ["Verified", last.verifiedAt ? formatDateTime(last.verifiedAt) : "not yet"],
    ["Missing", last.missing ? `the contents of ${formatCount(last.missing, "file")}` : "nothing of this organization"],
    ...(following ? [following] : [])
  ];
  return [renderPairs("facts", pairs), problemText];
}
