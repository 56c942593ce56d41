// The sign-in dialog. It opens over the current page, so that nothing typed is lost when a session ends.

import { post } from "./core/api.js";
import { pageUrl } from "./core/base-path.js";
import { h, labelField, setText } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { formatDateTime, phrase } from "./core/format.js";
import { currentSession, saveSession, sessionEvents } from "./core/session.js";
import { storeValue } from "./core/storage.js";
import { openDialog } from "./ui/dialog.js";

const EMAIL_KEY = "tandem.email"; // of the last address that has signed in

let pendingSignIn = null; // resolves after the sign-in

/** Ask for e-mail and password until they are correct. Concurrent calls share one dialog. */
export function signIn(reason = "") {
  pendingSignIn ??= new Promise((resolve) => new SignInDialog(reason, resolve)).finally(() => (pendingSignIn = null));
  return pendingSignIn;
}

class SignInDialog {
  email = h("input.input", { type: "email", name: "email", autocomplete: "username", required: true });
  password = h("input.input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  problem = h("p.problem", { role: "alert" });
  button = h("button.button.main", { type: "submit" }, "Sign in");
  /** @type {HTMLElement | null} */
  form = null;

  constructor(reason, signedIn) {
    this.signedIn = signedIn;
    this.email.value = localStorage.getItem(EMAIL_KEY) ?? "";
    this.opened = openDialog({ label: "Sign in", className: "signin", content: this.render(reason), leave: () => false });
    if (this.email.value) this.password.focus({ preventScroll: true });
    this.handleSession = () => currentSession() && this.close();
    sessionEvents.addEventListener("session", this.handleSession); // in this or another tab
  }

  render(reason) {
    this.form = h(
      "form",
      { submit: (event) => (event.preventDefault(), this.send()) },
      h("h1.logo", h("img", { src: pageUrl("/icon.svg"), alt: "" }), "Sign in to Tandem"),
      reason && h("p.muted", reason),
      labelField("E-mail", this.email),
      labelField("Password", this.password),
      this.problem,
      this.button
    );
    return this.form;
  }

  close() {
    sessionEvents.removeEventListener("session", this.handleSession);
    this.opened.end();
    this.signedIn();
  }

  /** Say who has given the account its password before the session begins. */
  showReset(answer) {
    const { by, at } = answer.passwordReset;
    const note = phrase`${by} gave your account a new password on ${formatDateTime(at)}, and knows it.`;
    const advice = "Choose one of your own: in the menu with your name, open Your settings.";
    const button = h("button.button.main", { type: "submit" }, "Continue");
    const submit = (event) => (event.preventDefault(), saveSession(answer));
    this.form.replaceWith(h("form", { submit }, h("h1.logo", "Your password was changed"), h("p", note), h("p", advice), button));
    button.focus();
  }

  async send() {
    const { email, password, problem, button } = this;
    button.disabled = true;
    setText(problem, "");
    try {
      const answer = await post("/auth/login", { email: email.value.trim(), password: password.value });
      storeValue(EMAIL_KEY, email.value.trim());
      if (answer.passwordReset) this.showReset(answer);
      else saveSession(answer);
    } catch (error) {
      setText(problem, error.code === "invalid_credentials" ? "E-mail or password is wrong." : errorText(error));
      password.select();
    } finally {
      button.disabled = false;
    }
  }
}
