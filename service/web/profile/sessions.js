// The sessions of the signed-in user: one for each sign-in on a device.

import { remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { formatDateTime } from "../core/format.js";
import { smallButton } from "../ui/controls.js";
import { drawRows, listRow, renderList } from "../ui/list.js";
import { tryRequest } from "../ui/request.js";
import { signOut, signOutEverywhere } from "../ui/sign-out.js";

// Parts of a user agent and their names; the first match counts, since browsers also name older ones.
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser", "Samsung Internet"],
  ["Firefox", "Firefox"],
  ["FxiOS", "Firefox"],
  ["CriOS", "Chrome"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"]
];
const SYSTEMS = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS", "Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"]
];

/** Return a list of the sessions, and buttons to sign out. */
export function renderSessions(sessions, done) {
  const rows = drawRows(sessions, (session) => sessionRow(session, done), {
    remove: ({ id }) => endSession(id, "this device", done)
  });
  const everywhere = smallButton("Sign out everywhere…", signOutEverywhere);
  return [
    h("p.small.muted", "Devices and programs on which you are signed in. A session ends after 7 days without use."),
    renderList(rows, "This sign-in is from before an update; sign in again to see it here.", "Sessions"),
    h("div.row.wrap", smallButton("Sign out", signOut), everywhere)
  ];
}

function sessionRow({ id, createdAt, lastSeenAt, userAgent, current }, done) {
  const device = describeDevice(userAgent);
  const times = `Signed in ${formatDateTime(createdAt)}, last seen ${formatDateTime(lastSeenAt)}`;
  const end = smallButton("End session", () => endSession(id, device, done), { name: `End session on ${device}` });
  const title = h("strong", { title: userAgent ?? "" }, device);
  return listRow({ id, title, note: current && "this device", text: times, actions: !current && end });
}

async function endSession(id, device, done) {
  const messages = { done: `The session on ${device} has ended.`, failed: "The session was not ended" };
  if (await tryRequest(() => remove(`/settings/sessions/${id}`), messages)) done();
}

/** Return a user agent in plain words: "Firefox on Linux", "curl". */
export function describeDevice(userAgent) {
  if (!userAgent) return "Unknown device";
  const find = (names) => names.find(([part]) => userAgent.includes(part))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (userAgent.split(/[/(;]/)[0].trim() || "Unknown device");
}
