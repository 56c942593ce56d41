// The sign-in dialog. It opens over the current page, so that nothing typed is lost when a session ends.

import { post } from "./core/api.js";
import { pageUrl } from "./core/base-path.js";
import { h, labelField, setText } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { currentSession, saveSession, sessionEvents } from "./core/session.js";
import { storeValue } from "./core/storage.js";
import { openDialog } from "./ui/dialog.js";

let pendingSignIn = null; // resolves after the sign-in

/** Ask for e-mail and password until they are correct. Concurrent calls share one dialog. */
export function signIn(reason = "") {
  pendingSignIn ??= new Promise((resolve) => openSignIn(reason, resolve)).finally(() => (pendingSignIn = null));
  return pendingSignIn;
}

function openSignIn(reason, resolve) {
  const email = h("input.input", { type: "email", name: "email", autocomplete: "username", required: true });
  const password = h("input.input", {
    type: "password",
    name: "password",
    autocomplete: "current-password",
    required: true
  });
  email.value = localStorage.getItem("tandem.email") ?? "";
  const problem = h("p.problem", { role: "alert" });
  const button = h("button.button.main", { type: "submit" }, "Sign in");
  const form = h(
    "form",
    { submit: (event) => (event.preventDefault(), send()) },
    h("h1.logo", h("img", { src: pageUrl("/icon.svg"), alt: "" }), "Sign in to Tandem"),
    reason && h("p.muted", reason),
    labelField("E-mail", email),
    labelField("Password", password),
    problem,
    button
  );
  const opened = openDialog({ label: "Sign in", className: "signin", content: form, leave: () => false });
  if (email.value) password.focus({ preventScroll: true });
  sessionEvents.addEventListener("session", done); // in this or another tab

  function done() {
    if (!currentSession()) return;
    sessionEvents.removeEventListener("session", done);
    opened.end();
    resolve();
  }

  async function send() {
    button.disabled = true;
    setText(problem, "");
    try {
      saveSession(await post("/auth/login", { email: email.value.trim(), password: password.value }));
      storeValue("tandem.email", email.value.trim());
    } catch (error) {
      setText(problem, error.code === "invalid_credentials" ? "E-mail or password is wrong." : errorText(error));
      password.select();
    } finally {
      button.disabled = false;
    }
  }
}
