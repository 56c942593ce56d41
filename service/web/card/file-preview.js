// Files of an open card, opened in place: pictures, the beginning of texts, and PDFs in a tab. Other files are downloaded.

import { fetchResponse, post } from "../core/api.js";
import { h } from "../core/dom.js";
import { formatBytes, phrase } from "../core/format.js";
import { openUntilClosed } from "../ui/dialog.js";
import { PICTURE_TYPES } from "../ui/file-drop.js";
import { followLink, startDownload } from "../ui/file-transfer.js";
import { showBoardError } from "../board/store.js";
import { showPicture } from "./pictures.js";

const TEXT = /^(?:text\/(?!html)|application\/(?:json|xml|yaml|x-yaml|toml|sql)(?:;|$))/; // a page of HTML is downloaded
// Browsers give these files no type or a wrong one: on Windows a CSV file has the type of Excel.
const TEXT_NAME =
  /\.(?:txt|text|md|markdown|log|csv|tsv|jsonl?|xml|ya?ml|toml|ini|conf|sql|diff|patch|py|js|ts|css|sh|rs|go|java|c|rb|php)$/i;
const TEXT_BYTES_MAX = 256 << 10; // that are shown of a text

/** Open {id, name, mimeType, sizeBytes} where it can be shown, else download it. */
export function openFile(open, file) {
  if (PICTURE_TYPES.includes(file.mimeType)) return openPicture(open, file);
  if (isText(file)) return openText(open, file);
  const isShown = file.mimeType === "application/pdf" && navigator.pdfViewerEnabled;
  return isShown ? openInTab(open, file) : downloadFile(open, file);
}

function isText({ name, mimeType }) {
  return TEXT.test(mimeType) || TEXT_NAME.test(name);
}

/** Show a picture, {id, name}, in a dialog. */
export function openPicture(open, file) {
  const image = h("img", { alt: file.name, "data-file": file.id });
  showPicture(open, image, () => image.replaceWith("This picture cannot be shown."));
  return openPreview(open, file, h("div.large-picture", image));
}

async function openText(open, file) {
  try {
    const text = await readBeginning(file);
    const isCut = file.sizeBytes > TEXT_BYTES_MAX;
    const note = isCut && h("p.small.muted", `The first ${formatBytes(TEXT_BYTES_MAX)} of ${formatBytes(file.sizeBytes)}.`);
    const attributes = { tabindex: "0", role: "region", "aria-label": "Contents" };
    return openPreview(open, file, [h("pre.file-text", attributes, text), note]);
  } catch (error) {
    showBoardError(open.board, phrase`${file.name} was not loaded`, error);
  }
}

/** Return the first part of a text file in UTF-8 or, with a byte order mark, UTF-16; other bytes are replaced. */
async function readBeginning({ id, sizeBytes }) {
  const headers = sizeBytes > TEXT_BYTES_MAX ? { Range: `bytes=0-${TEXT_BYTES_MAX - 1}` } : {};
  const response = await fetchResponse(`/files/${encodeURIComponent(id)}/content`, { method: "GET", headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const mark = bytes.slice(0, 2).join();
  return new TextDecoder({ __proto__: null, "255,254": "utf-16le", "254,255": "utf-16be" }[mark]).decode(bytes);
}

function openPreview(open, file, content) {
  const download = h("button.button", { click: () => downloadFile(open, file) }, "Download");
  return openUntilClosed(file.name || "Picture", content, "form-dialog preview-dialog", download);
}

/** Download a file. */
function downloadFile(open, file) {
  return withLink(open, file, (url) => startDownload(url, file.name));
}

/** Show a file in a tab of its own, which cannot reach this one. */
function openInTab(open, file) {
  return withLink(open, file, (url) => followLink({ href: `${url}&inline=1`, target: "_blank", rel: "noopener" }));
}

/** Use a signed link to a file that is valid for a minute, so that the page does not hold the file in memory. */
async function withLink(open, { id, name }, use) {
  try {
    use((await post(`/files/${encodeURIComponent(id)}/link`)).url);
  } catch (error) {
    showBoardError(open.board, phrase`${name} was not loaded`, error);
  }
}
