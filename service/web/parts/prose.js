// What people and agents wrote, inside a screen with headings of its own.

import { markdown } from "../core/markdown.js";

const LEVEL = "4"; // below the headings of a dialog's sections, whatever levels the text has

/** Turn a Markdown text into elements whose headings fit below those of the page. */
export function prose(text) {
  const element = markdown(text);
  for (const heading of element.querySelectorAll("h1, h2, h3, h4, h5, h6")) heading.setAttribute("aria-level", LEVEL);
  return element;
}
