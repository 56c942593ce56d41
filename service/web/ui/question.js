// Answering the questions of agents.

import { post } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { announce } from "./toast.js";

/** Send an answer to a question. */
async function sendAnswer(cardId, commentId, content) {
  return post(`/cards/${encodeURIComponent(cardId)}/comments/${encodeURIComponent(commentId)}/replies`, { content });
}

// The form that answers a question, by one of its options or in other words.
const ANSWER_CHARACTERS_MAX = 20_000;

/** Return the form that answers {cardId, commentId, options}; `done` is called afterwards. */
export function renderAnswerForm({ cardId, commentId, options }, names, done) {
  const attributes = { "aria-label": "Answer", placeholder: "Answer in your own words" };
  const field = h("input.input", { ...attributes, maxlength: ANSWER_CHARACTERS_MAX });
  const problem = h("p.problem.small", { role: "alert" });
  const send = h("button.button.small.main", { type: "submit" }, "Answer");
  const choose = (text) => h("button.button.small", { click: () => submit(text) }, text);
  const choices = options?.length ? h("div.row.wrap", options.map(choose)) : null;
  const form = h("form.answer", choices, h("div.row", field, send), problem);
  form.addEventListener("submit", (event) => (event.preventDefault(), field.value.trim() && submit(field.value)));

  async function submit(text) {
    form.inert = true;
    setText(problem, "");
    try {
      await sendAnswer(cardId, commentId, text);
      announce("Answered.");
      done();
    } catch (error) {
      setText(problem, problemTexts(error, names).join(" "));
    } finally {
      form.inert = false;
    }
  }

  return form;
}
