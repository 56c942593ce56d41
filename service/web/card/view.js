// What the dialog shows of an open card: its sections, and when each of them is drawn again.

import { query, replaceChildren } from "../core/dom.js";
import { guard, renderBroken } from "../core/guard.js";
import { boardUrl, navigate } from "../core/router.js";
import { isTextField } from "../core/shortcuts.js";
import { agentBadges } from "../ui/avatar.js";
import { createProperties } from "./properties.js";
import { SECTIONS } from "./sections.js";
import { createClaim } from "./summary.js";

/** @import { OpenCard } from "./store.js" */
/** @import { Property } from "./properties.js" */
/** @import { SectionContent, SectionRule } from "./sections.js" */
/** @typedef {SectionRule & {content: SectionContent, broken?: Element | null}} ShownSection */
/**
 * The elements of the dialog, and what closes it without a question.
 * @typedef {{dialog: HTMLElement, body: HTMLElement, breadcrumbs: HTMLElement, main: HTMLElement, side: HTMLElement,
 *   opened: {end: () => unknown}}} Frame
 */

/** The shown sections of an open card. */
export class CardView {
  /** @type {Map<string, ShownSection>} */
  sections = new Map(); // by name; none until the card is loaded, and while it is missing
  /** @type {Set<string>} */
  changed = new Set(); // the parts of the card whose sections are to be drawn again
  // What the sections were created for: all are created again for another type, which has other fields, or other permissions.
  /** @type {string | null} */
  typeId = null;
  permissions = "";

  // What several sections are created from.
  /** @type {Map<string, string>} */
  badges = new Map(); // agent -> badge
  /** @type {SectionContent | null} */
  claim = null;
  /** @type {Property[]} */
  properties = [];

  /**
   * @param {OpenCard} open
   * @param {Frame} frame
   */
  constructor(open, { dialog, body, breadcrumbs, main, side, opened }) {
    this.open = open;
    this.board = open.board;
    this.dialog = dialog;
    this.body = body;
    this.places = { head: breadcrumbs, main, side };
    this.end = opened.end;
  }

  get isDrawn() {
    return this.sections.size > 0;
  }

  /** Create all sections for the type of the card and the permissions of the user. */
  draw() {
    const { open, board, places } = this;
    if (this.followElsewhere()) return;
    this.typeId = open.card.cardTypeId;
    this.permissions = JSON.stringify(board.can);
    this.badges = agentBadges(board.agents);
    this.claim = createClaim(open);
    this.properties = createProperties(open, this.badges, board.isAllowed("update"));
    this.sections = new Map(SECTIONS.map((section) => [section.name, this.createSection(section)]));
    const isAtStart = [this.body, places.main.firstElementChild].includes(document.activeElement);
    for (const [name, place] of Object.entries(places)) replaceChildren(place, this.listElements(name));
    if (isAtStart) query(places.main, "h2").focus({ preventScroll: true });
    for (const section of this.sections.values()) this.updateSection(section);
    open.markSeen();
  }

  /**
   * Create a section; one that cannot be created is a sentence that says so.
   * @param {SectionRule & {create: (view: CardView) => SectionContent}} section
   * @returns {ShownSection}
   */
  createSection({ create, ...rule }) {
    const replace = () => ({ element: renderBroken(rule.label), update: () => {} });
    return { ...rule, content: guard(() => create(this), replace) };
  }

  /**
   * Draw a section again; one that cannot be drawn says so below what it shows.
   * @param {ShownSection} section
   */
  updateSection(section) {
    const { label, content } = section;
    section.broken?.remove();
    section.broken = guard(
      () => (content.update(), null),
      () => renderBroken(label)
    );
    const [element] = [content.element].flat().filter((part) => part instanceof Element);
    if (section.broken) element?.append(section.broken);
  }

  listElements(place) {
    return [...this.sections.values()].filter((section) => section.place === place).map(({ content }) => content.element);
  }

  /** Show nothing of the card, as it is missing. */
  clear() {
    this.sections.clear();
    replaceChildren(this.places.side);
  }

  /**
   * Draw again the sections of changed parts, but not between pressing and releasing something, which would not be clicked
   * then.
   * @param {Iterable<string>} [parts]
   */
  refresh(parts = []) {
    for (const part of parts) this.changed.add(part);
    if (this.open.isClosed || this.changed.size === 0) return;
    if (this.dialog.querySelector(":active")) return void requestAnimationFrame(() => this.refresh());
    this.update(this.changed);
    this.changed.clear();
  }

  update(parts) {
    if (!this.isDrawn || this.followElsewhere()) return;
    if (this.isOutdated && !this.isEditing()) return this.drawAnew();
    const isChanged = (section) => section.parts.some((part) => parts.has(part));
    for (const section of this.sections.values()) if (isChanged(section)) this.updateSection(section);
  }

  /** Follow the board, whose columns, agents, claims and permissions several sections show. */
  followBoard({ cards, frame }) {
    if (this.isDrawn && (frame || cards.has(this.open.id) || this.isOutdated)) this.refresh(["card", "moves"]);
  }

  /** Create the sections that waited until nothing is being written, if there are such. */
  catchUp() {
    if (this.isDrawn && this.isOutdated) this.refresh(["card"]);
  }

  /** Follow a card that is on another board, and return whether it is. */
  followElsewhere() {
    const { projectId, key } = this.open.card;
    if (projectId === this.board.id) return false;
    navigate(boardUrl(projectId, key), true);
    return true;
  }

  /** Create the sections again, and focus the type if the focused element is gone. */
  drawAnew() {
    const hadFocus = this.dialog.contains(document.activeElement);
    this.draw();
    if (hadFocus && !this.dialog.contains(document.activeElement)) (this.findButton("cardTypeId") ?? this.body).focus();
  }

  /** Return whether the card's type or the permissions have changed since the sections were created. */
  get isOutdated() {
    return this.typeId !== this.open.card.cardTypeId || this.permissions !== JSON.stringify(this.board.can);
  }

  /** Return whether something is being written or decided, which would be lost with its section. */
  isEditing() {
    const { dialog } = this;
    const isTyping = isTextField(document.activeElement) && dialog.contains(document.activeElement);
    return isTyping || query(dialog, ".editing, .conflict") !== null || Boolean(query(dialog, ".relate textarea")?.value);
  }

  /** Show the time that is left of a claim. */
  tick() {
    if (this.isDrawn && !document.hidden) this.claim.update();
  }

  /** Return the button that edits a property, given by its edit key. */
  findButton(key) {
    const property = this.properties.find((candidate) => candidate.key === key);
    return property && query(property.field.element, ":scope > button");
  }

  /** Return the labels with their menu, if they can be changed. */
  findLabels() {
    const isShown = this.isDrawn && this.board.isAllowed("update");
    return isShown ? this.properties.find(({ field }) => field.openMenu)?.field : undefined;
  }

  /** Add files to the card as a whole. */
  addFiles(files) {
    this.sections.get("files")?.content.take(files);
  }
}
