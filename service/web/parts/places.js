// The screens of the organization: those that there are for whoever looks, in the rail and behind the menu of a phone.

import { arrange, h, icon } from "../core/dom.js";
import { makeBoard, organization } from "../core/organization.js";
import { boardAddress, go, parse } from "../core/route.js";
import { refusal } from "../core/words.js";
import { ask, notify } from "./float.js";

const CHART = "M2.5 13.5h11M4 11V7.5M7 11V4M10 11V6M13 11V3";
const GEAR =
  "M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 2v1.6M8 12.4V14M2 8h1.6M12.4 8H14" +
  "M3.8 3.8l1.1 1.1M11.1 11.1l1.1 1.1M12.2 3.8l-1.1 1.1M4.9 11.1l-1.1 1.1";

/** The screens: address, icon, words, whether there is one for the caller. */
const PLACES = [
  [design, "board", "Board design", () => organization.projects.length > 0],
  [() => "/figures", CHART, "Figures", () => true],
  [() => "/archive", "archive", "Archive", () => true],
  [() => "/settings/members", GEAR, "Settings", () => true],
];

/** Give the address of the design of the board that is looked at, else of the first. */
function design() {
  const { project } = parse(location.href);
  const { id } = organization.projects.find((one) => one.id === project) ?? organization.projects[0];
  return `${boardAddress(id)}/design`;
}

function open() {
  if (!organization.me) return [];
  return PLACES.filter(([, , , may]) => may()).map(([address, ...rest]) => [address(), ...rest]);
}

/** Draw the ways to the screens of the organization into the rail. */
export function drawPlaces(place) {
  const known = new Map([...place.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link]));
  const links = open().map(([href, mark, words]) => known.get(href) ?? way(href, mark, words));
  arrange(place, links.length ? [h("h2", null, organization.title), ...links] : []);
}

function way(href, mark, words) {
  return h("a", { class: "entry", href, title: words }, icon(mark), h("span", { class: "name" }, words));
}

/** Give the same as items of a menu. */
export function placeItems() {
  return open().map(([href, mark, label]) => ({ label, mark: icon(mark), run: () => go(href) }));
}

// A new board: only its title is asked, and it comes with the usual columns.
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
