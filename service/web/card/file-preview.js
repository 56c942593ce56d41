// Files of an open card, opened in place: pictures, and the beginning of texts. Other files are downloaded.

import { fetchResponse, post } from "../core/api.js";
import { h } from "../core/dom.js";
import { formatBytes } from "../core/format.js";
import { smallButton } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { PICTURE_TYPES, startDownload } from "../ui/file-transfer.js";
import { showBoardError } from "../board/store.js";
import { showPicture } from "./pictures.js";

const TEXT = /^(?:text\/(?!html)|application\/(?:json|xml|yaml|x-yaml|toml|sql)(?:;|$))/; // a page of HTML is downloaded
const TEXT_BYTES_MAX = 256 << 10; // that are shown of a text

/** Open {id, name, mimeType, sizeBytes} where it can be shown, else download it. */
export function openFile(open, file) {
  if (PICTURE_TYPES.includes(file.mimeType)) return openPicture(open, file);
  return TEXT.test(file.mimeType) ? openText(open, file) : downloadFile(open, file);
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
    showBoardError(open.board, `${file.name} was not loaded`, error);
  }
}

/** Return the first part of a text file; bytes that are no UTF-8 are replaced. */
async function readBeginning({ id, sizeBytes }) {
  const headers = sizeBytes > TEXT_BYTES_MAX ? { Range: `bytes=0-${TEXT_BYTES_MAX - 1}` } : {};
  const response = await fetchResponse(`/files/${encodeURIComponent(id)}/content`, { method: "GET", headers });
  return new TextDecoder().decode(await response.arrayBuffer());
}

function openPreview(open, file, content) {
  const download = h("div.row", smallButton("Download", () => downloadFile(open, file)));
  return openUntilClosed(file.name || "Picture", [content, download], "form-dialog preview-dialog");
}

/** Download a file by a signed link that is valid for a minute, so that the page does not hold it in memory. */
async function downloadFile(open, { id, name }) {
  try {
    const { url } = await post(`/files/${encodeURIComponent(id)}/link`);
    startDownload(url, name);
  } catch (error) {
    showBoardError(open.board, `${name} was not loaded`, error);
  }
}
