// Sign-in: a dialog over whatever was there, so that nothing typed is lost when a token ends.

import { keep, post, service, signedIn } from "../core/api.js";
import { h, say } from "../core/dom.js";
import { refusal } from "../core/words.js";
import { openDialog } from "../parts/float.js";

let open = null;

/** Ask for e-mail and password until they are right; all who ask meanwhile get the same answer. */
export function signIn(reason = "") {
  open ??= new Promise((resolve) => show(reason, resolve)).finally(() => (open = null));
  return open;
}

function show(reason, resolve) {
  const email = h("input.input", { type: "email", name: "email", autocomplete: "username", required: true });
  const password = h("input.input", {
        type: "password",
    name: "password",
    autocomplete: "current-password",
    required: true,
  });
  email.value = localStorage.getItem("tandem.email") ?? "";
  const problem = h("p.problem", { role: "alert" });
  const button = h("button.button.main", { type: "submit" }, "Sign in");
  const form = h(
    "form",
    { on: { submit: (event) => (event.preventDefault(), send()) } },
    h("h1.logo", h("img", { src: "/icon.svg", alt: "" }), "Sign in to Tandem"),
    reason && h("p.muted", reason),
    h("label.labelled", h("span", "E-mail"), email),
    h("label.labelled", h("span", "Password"), password),
    problem,
    button,
  );
  const opened = openDialog({ label: "Sign in", className: "signin", content: form, leave: () => false });
  (email.value ? password : email).focus();
  service.addEventListener("session", done); // here, or in another tab

  function done() {
    if (!signedIn()) return;
    service.removeEventListener("session", done);
    opened.end();
    resolve();
  }

  async function send() {
    button.disabled = true;
    say(problem, "");
    try {
      keep(await post("/auth/login", { email: email.value.trim(), password: password.value }));
      localStorage.setItem("tandem.email", email.value.trim());
    } catch (error) {
      say(problem, error.code === "invalid_credentials" ? "E-mail or password is wrong." : refusal(error));
      password.select();
    } finally {
      button.disabled = false;
    }
  }
}
