// Begins: signs in, draws the frame, shows the screen that the address names, and keeps to it.

import { keep, post, renew, service, signedIn } from "./core/api.js";
import { fill, h, labelled, say } from "./core/dom.js";
import { bind, hold, load } from "./core/keys.js";
import { follow } from "./core/live.js";
import { enter, organization, readFreeze, recount } from "./core/organization.js";
import { boardAddress, go, parse, route } from "./core/route.js";
import { refusal } from "./core/words.js";
import { freezeAll } from "./parts/deciding.js";
import { openDialog, placeNotices } from "./parts/float.js";
import { markPlace, placeFrame, retitle } from "./parts/frame.js";

const RENEWAL = 60_000; // milliseconds between two looks at the age of the token

const host = placeFrame();
let shown = null; // {name, screen}: what is on the screen
let asking = null; // the promise of whoever is asked to sign in
let turn = 0; // counts the addresses, so that a slow screen does not replace a later one

placeNotices();
begin();

async function begin() {
  if (!signedIn()) await signIn();
  const address = parse(location.href);
  if (address.name === "signin" && leaves(within(address.query.get("to")))) return;
  const entered = enter();
  load();
  show();
  route.addEventListener("change", show);
  setInterval(renew, RENEWAL);
  try {
    await entered;
    recount();
    if (address.name !== "board") readFreeze(); // a board tells by itself
  } catch (error) {
    if (error.status !== 401 && organization.isMember) problem(error);
  }
}

/** Go where somebody wanted to go before signing in; tell whether that is a page of its own (the reference). */
function leaves(address) {
  const isElsewhere = parse(location.origin + address).name === null;
  if (isElsewhere) location.replace(location.origin + address);
  else go(address, true);
  return isElsewhere;
}

/** Take an address only if it stays with the service, as the browser reads it, and leads on from here. */
function within(address) {
  if (!address?.startsWith("/") || !URL.canParse(address, location.origin)) return "/";
  const { origin, pathname, search, hash } = new URL(address, location.origin);
  return origin === location.origin && pathname !== "/sign-in" ? pathname + search + hash : "/";
}

async function show() {
  const mine = ++turn;
  const address = parse(location.href);
  markPlace();
  if (!organization.isMember) return homeless();
  if (shown?.name === address.name && shown.screen.update?.(address)) return;
  shown?.screen.leave?.();
  shown = null;
  const isFirst = host.childElementCount === 0;
  if (!address.name) return nowhere();
  try {
    const module = await import(`./screens/${address.name}.js`); // the name is one of the table of addresses
    if (mine !== turn) return;
    fill(host);
    shown = { name: address.name, screen: module.show(host, address) };
    retitle(shown.screen.title);
    if (!isFirst && !host.contains(document.activeElement)) host.focus();
  } catch (error) {
    if (mine === turn) problem(error);
  }
}

function nowhere() {
  shown = { name: null, screen: { leave: () => organization.removeEventListener("change", drawNowhere) } };
  organization.addEventListener("change", drawNowhere);
  return drawNowhere();
}

async function drawNowhere() {
  retitle("No such page");
  fill(host, (await import("./parts/me.js")).nowhere());
}

/** Say that the person is in this organization no more. */
async function homeless() {
  turn += 1;
  shown?.screen.leave?.();
  shown = null;
  retitle("");
  fill(host, (await import("./parts/me.js")).homeless());
}

/** Say what went wrong with a whole screen, and offer to try again. */
function problem(error) {
  retitle("Something went wrong");
  const again = h(
    "button.button.main",
    { click: () => location.reload() },
    "Try again"
  );
  const about = error.requestId && h("p.small.muted", `Request ${error.requestId}`);
  fill(
    host,
    h("div.alone", h("h1", "This did not load"), h("p", refusal(error)), again, about)
  );
}

organization.addEventListener("change", () => organization.isMember || homeless());

service.addEventListener("ended", async () => {
  const before = organization.me?.id;
  await signIn("Your session has ended. Nothing you typed is lost.");
  if (before === undefined) return location.reload();
  follow(organization.id);
  shown?.screen.refresh?.();
});

service.addEventListener("session", () => {
  if (!organization.me) return;
  if (!signedIn())
    service.dispatchEvent(new Event("ended")); // signed out in another tab
  else if (signedIn().userId !== organization.me.id) location.assign("/");
});

// A file that misses its place does not make the browser leave the page for it.
for (const type of ["dragover", "drop"])
  addEventListener(type, (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());

bind({
  "go.now": () => go("/"),
  "go.agents": () => go("/agents"),
  "go.figures": () => go("/figures"),
  "go.search": () => go("/search"),
  "go.boards": () => organization.projects.length > 0 && go(boardAddress(organization.projects[0].id)),
  "palette.open": () => void hold(import("./parts/me.js").then(({ openPalette }) => openPalette())),
  "agents.freeze": () =>
    organization.isArchitect && !organization.freeze && void freezeAll(),
  help: () => void import("./parts/me.js").then(({ showKeys }) => showKeys())
});

// Sign-in: a dialog over whatever was there, so that nothing typed is lost when a token ends.
/** Ask for e-mail and password until they are right; all who ask meanwhile get the same answer. */
function signIn(reason = "") {
  asking ??= new Promise((resolve) => askWho(reason, resolve)).finally(() => (asking = null));
  return asking;
}

function askWho(reason, resolve) {
  const email = h("input.input", { type: "email", name: "email", autocomplete: "username", required: true });
  const password = h("input.input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  email.value = localStorage.getItem("tandem.email") ?? "";
  const problem = h("p.problem", { role: "alert" });
  const button = h("button.button.main", { type: "submit" }, "Sign in");
  const form = h(
    "form",
    { submit: (event) => (event.preventDefault(), send()) },
    h("h1.logo", h("img", { src: "/icon.svg", alt: "" }), "Sign in to Tandem"),
    reason && h("p.muted", reason),
    labelled("E-mail", email),
    labelled("Password", password),
    problem,
    button
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
