// Opening a card: its dialog comes with its own style sheets, when the first card is opened.

import { stylesheet } from "../core/dom.js";

const SHEETS = ["/css/prose.css", "/css/dialog.css"];

/** Load what the card dialog needs, and give the function that opens a card. */
export async function cardDialog() {
  const [{ openCard }] = await Promise.all([import("./card.js"), ...SHEETS.map(stylesheet)]);
  return openCard;
}
