// A new board: only its title is asked, and it comes with the usual columns.

import { makeBoard } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { refusal } from "../core/words.js";
import { ask } from "./dialog.js";
import { notify } from "./notice.js";

/** Ask for a title, make the board and go there. */
export async function newBoard() {
  const title = await ask({
    title: "New board",
    text: "It begins with Backlog, Todo, In Progress, Review and Done; the last step asks a person.",
    label: "Title",
    type: "text",
    button: "Make the board",
    required: true,
    most: 500,
  });
  if (!title) return;
  try {
    go(boardAddress((await makeBoard(title)).id));
  } catch (error) {
    notify({ title: "The board was not made", text: refusal(error), kind: "refused", cause: "board" });
  }
}
