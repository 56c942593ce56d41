// Questions that agents ask people, answered where they are read: by one of the options, or in other words.

import { h, say } from "../core/dom.js";
import { reasons } from "../core/refusals.js";
import { answer } from "../core/writes.js";
import { announce } from "./notice.js";

const ANSWER_CHARACTERS_MAX = 20_000; // characters of an answer

/** Draw what answers a question {cardId, commentId, options}; `done` is told when it is answered. */
export function answerForm({ cardId, commentId, options }, names, done) {
  const wording = { "aria-label": "Answer", placeholder: "Answer in your own words" };
  const field = h("input", { class: "input", ...wording, maxlength: ANSWER_CHARACTERS_MAX });
  const problem = h("p", { class: "problem small", role: "alert" });
  const send = h("button", { class: "button small main", type: "submit" }, "Answer");
  const choose = (words) => h("button", { class: "button small", type: "button", on: { click: () => give(words) } }, words);
  const choices = options?.length ? h("div", { class: "row wrap" }, options.map(choose)) : null;
  const form = h("form", { class: "answer" }, choices, h("div", { class: "row" }, field, send), problem);
  form.addEventListener("submit", (event) => (event.preventDefault(), field.value.trim() && give(field.value)));

  async function give(words) {
    form.inert = true;
    say(problem, "");
    try {
      await answer(cardId, commentId, words);
      announce("Answered.");
      done();
    } catch (error) {
      say(problem, reasons(error, names).join(" "));
    } finally {
      form.inert = false;
    }
  }

  return form;
}
