// Answering the questions of agents.

import { post } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { getFieldText } from "../core/marks.js";
import { keepDraft } from "./text/drafts.js";
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
  const field = h("textarea.input", { ...attributes, rows: "2", maxlength: ANSWER_CHARACTERS_MAX });
  const draft = keepDraft(field, { item: commentId, name: "answer" });
  const problem = h("p.problem.small", { role: "alert" });
  const send = h("button.button.small.main", { type: "submit" }, "Answer");
  const choose = (text) => h("button.button.small", { click: () => submit(text) }, text);
  const choices = options?.length ? h("div.row.wrap", options.map(choose)) : null;
  const form = h("form.answer", choices, h("div.row", field, send), draft.note, problem);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), form.requestSubmit());
  });
  form.addEventListener("submit", (event) => (event.preventDefault(), field.value.trim() && submit(getFieldText(field))));

  async function submit(text) {
    form.inert = true;
    setText(problem, "");
    try {
      await sendAnswer(cardId, commentId, text);
      draft.forget();
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
