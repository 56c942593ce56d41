// Mentions in the texts of a card: names of members and agents.

import { createElement, h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { WORD } from "../core/words.js";
import { listTexts } from "./card-references.js";

// A name after an @, as the service finds it; the mentions that it answers say whether it is one.
const NAME = new RegExp(`(?<!${WORD}|[.@＠])[@＠]([A-Za-z0-9][A-Za-z0-9_.:@-]*)`, "gu");
const CONTINUES = new RegExp(`^(?:${WORD}|-)`, "u"); // a name does not end before these

/** Show the mentions {type, id, label} of a rendered text as names; those of the reader stand out. */
export function showMentions({ board }, element, mentions) {
  const byName = new Map();
  for (const mention of mentions.toReversed()) {
    const handle = mention.type === "User" ? board.person(mention.id)?.handle : mention.id;
    if (handle) byName.set(handle, mention);
  }
  element.normalize(); // a rendered word can be several text nodes
  for (const node of listTexts(element, "a.address")) replaceNames(node, byName);
}

function replaceNames(node, byName) {
  const parts = [];
  let end = 0;
  for (const { 0: whole, 1: word, index } of node.data.matchAll(NAME)) {
    const length = findLength(word, node.data.slice(index + whole.length, index + whole.length + 2), byName);
    if (!length) continue;
    const name = word.slice(0, length);
    parts.push(node.data.slice(end, index), renderMention(byName.get(name) ?? byName.get(name.toLowerCase()), name));
    end = index + 1 + length;
  }
  if (parts.length) node.replaceWith(...parts, node.data.slice(end));
}

/** Return the length of the longest known name that a word begins with, or 0. */
function findLength(word, following, byName) {
  for (let length = word.length; length > 0; length -= 1) {
    const name = word.slice(0, length);
    const isKnown = byName.has(name) || byName.has(name.toLowerCase());
    if (isKnown && !CONTINUES.test(word.slice(length) || following)) return length;
  }
  return 0;
}

function renderMention({ type, id, label }, name) {
  const isOwn = type === "User" && id === organization.me?.id;
  const kind = isOwn ? "own" : type === "Agent" ? "agent" : "user";
  return createElement("span.mention", { class: `mention ${kind}`, title: `@${name}` }, h("bdi", `@${label}`));
}
