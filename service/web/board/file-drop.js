// Files dropped on the cards of a board.

import { h, setText } from "../core/dom.js";
import { formatCount, phrase } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { FileRefused, findFileField, sendFile, uploadFiles } from "../ui/file-transfer.js";
import { showError, showToast } from "../ui/toast.js";
import { boardErrorText } from "./store.js";

const FOREVER_MILLISECONDS = 2 ** 31 - 1; // the longest time of a timer

/** Let the cards in `host` take files. `getBoard()` returns the current board. */
export function enableFileDrop(host, getBoard) {
  let target = null;
  const mark = (node) => {
    target?.classList.remove("drag-over");
    target = node;
    target?.classList.add("drag-over");
  };
  const over = (event) => {
    const hasFiles = [...event.dataTransfer.types].includes("Files");
    mark(hasFiles ? event.target.closest("li.card") : null);
    if (!target) return;
    event.preventDefault();
    event.stopPropagation(); // else the page refuses the files
  };
  host.addEventListener("dragover", over);
  host.addEventListener("dragleave", ({ relatedTarget }) => host.contains(relatedTarget) || mark(null));
  host.addEventListener("drop", (event) => {
    over(event);
    const card = target && getBoard()?.cards.get(target.dataset.id);
    mark(null);
    const files = [...event.dataTransfer.files];
    if (card && files.length) addFiles(getBoard(), card, files);
  });
}

/** Upload files to a card and report how far they are. */
async function addFiles(board, card, files) {
  const { field, problem } = findFileField(board.type(card.cardTypeId), card.files > 0);
  const refusal = board.isAllowed("create", "File") ? problem : "You don't have permission to add files.";
  if (refusal) return showError(`No file was added to ${card.key}`, refusal, "files");
  const uploads = h("ul.files");
  const title = `Adding ${formatCount(files.length, "file")} to ${card.key}`;
  const toast = showToast({ title, shown: FOREVER_MILLISECONDS, cause: `files ${card.id}` });
  toast.append(uploads);
  let added = 0;
  const send = async (file, ...rest) => {
    if (!field.multiple && file !== files[0]) throw new FileRefused(phrase`${field.label} holds one file.`);
    await sendFile(card.id, field.id, file, ...rest);
    added += 1;
  };
  await uploadFiles(uploads, files, send, (error) => error.text ?? boardErrorText(board, error));
  if (uploads.children.length) return setText(toast.querySelector("strong"), `Not all files were added to ${card.key}`);
  toast.close();
  if (!added) return; // all were stopped
  const actions = [{ label: "Open the card", run: () => navigate(boardUrl(board.id, card.key)) }];
  showToast({ title: `${formatCount(added, "file")} added to ${card.key}`, actions, cause: `files ${card.id}` });
}
