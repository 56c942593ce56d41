// What a field for Markdown needs at once; its tools are loaded when the text is edited.

/**
 * Load the tools of a field into `place`. `render(text)` renders the preview, `addFile(file, progress, signal)` uploads a
 * file, `completions()` resolves to the sources of completions. Return a function that resolves when nothing is being
 * uploaded.
 */
export function loadTextTools(field, place, options) {
  let tools = null;
  const show = ({ createTextTools }) => (tools = createTextTools(field, place, options));
  import("./editor.js").then(show, () => place.remove()); // the text can be written without
  return async () => tools?.settle();
}
