// What is known of files before they are sent: which are pictures, and elements that accept dropped ones.

/** The media types of the pictures that browsers show. */
export const PICTURE_TYPES = ["png", "jpeg", "gif", "webp", "avif", "svg+xml"].map((format) => `image/${format}`);

/** Call `take(files)` with the files dropped on an element. */
export function acceptFileDrop(element, take) {
  const over = (event, isOver) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.stopPropagation(); // the innermost element takes them
    element.classList.toggle("drag-over", isOver);
  };
  element.addEventListener("dragover", (event) => over(event, true));
  element.addEventListener("dragleave", (event) => over(event, false));
  element.addEventListener("drop", (event) => {
    over(event, false);
    const files = [...event.dataTransfer.files];
    if (files.length) take(files);
  });
}
