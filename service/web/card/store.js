// The data of an open card, kept current by events.

import { dueDateOf } from "../core/format.js";
import { ApiError, fetchResponse, get, patch, post, put, remove } from "../core/api.js";
import { live } from "../core/live.js";
import { orgPath } from "../core/organization.js";
import { EditConflict } from "../ui/inline-edit.js";
import { announce, showError } from "../ui/toast.js";
import { boardErrorText, trackEdit } from "../board/store.js";

/** @import { NewsEvent, ServiceEvent } from "../core/live.js" */

const EARLIER_PAGE_SIZE = 100; // comments or history entries
const FIELD = "field:"; // prefix of edit keys that name a custom field by its id
const PARTS = ["moves", "comments", "history", "relations", "files", "request"];

/** The error of a card that is in the archive itself, not only on an archived board. */
const IN_ARCHIVE = { code: "not_found", message: "The card is in the archive.", details: { isRestorable: true } };

/** @typedef {Event & {parts: Set<string>}} PartsEvent */
/** @typedef {Event & {error: ApiError}} GoneEvent */

/** An open card. Dispatches `change` with the `parts` that were read again (PartsEvent), and `gone` (GoneEvent). */
export class OpenCard extends EventTarget {
  /** @type {string | null} */
  id = null;
  card = null;
  relations = [];
  files = [];
  moves = []; // the columns that it can be moved to
  request = null; // the open request to move it
  comments = { items: [], total: 0 }; // oldest first, as the history
  history = { items: [], total: 0 };
  isClosed = false;

  constructor(board, name) {
    super();
    this.board = board;
    /** @type {string} */
    this.name = name; // its id or key in the address
    /** @param {NewsEvent} event */
    this.onNews = ({ events }) => this.handleEvents(events);
    live.addEventListener("news", this.onNews);
    this.ready = this.load();
  }

  close() {
    live.removeEventListener("news", this.onNews);
    this.isClosed = true;
  }

  get path() {
    return `/cards/${encodeURIComponent(this.id ?? this.name)}`;
  }

  /** Read the card; its board counts only if the card is still there, since a former board can be gone. */
  async load() {
    const { ready } = this.board;
    ready.catch(() => {});
    await this.readParts(PARTS);
    if (this.card.projectId === this.board.id) await ready;
    return this;
  }

  /** Read the card and some of its parts again and dispatch `change`; on an error they stay unchanged. */
  async read(parts = PARTS) {
    try {
      await this.readParts(parts);
    } catch (error) {
      if (error.status === 404) this.emitGone(error);
      return;
    }
    if (!this.isClosed) this.dispatchEvent(Object.assign(new Event("change"), { parts: new Set(["card", ...parts]) }));
  }

  /** Read the card with some parts in one request. The response omits parts that the user may not read. */
  async readParts(parts) {
    const { comments, commentsTotal, history, historyTotal, ...response } = await get(`${this.path}?include=${parts}`);
    if (response.archivedAt) throw new ApiError(404, IN_ARCHIVE);
    const { relations = this.relations, files = this.files, moves = this.moves, request = this.request, ...card } = response;
    if (this.card?.version > card.version) return; // a newer response arrived first
    Object.assign(this, { id: card.id, card, relations, files, moves });
    if (parts.includes("request")) this.request = request;
    if (comments) this.comments = appendNewest(this.comments, comments, commentsTotal);
    if (history) this.history = appendNewest(this.history, history, historyTotal);
  }

  emitGone(error) {
    if (!this.isClosed) this.dispatchEvent(Object.assign(new Event("gone"), { error }));
  }

  /** @param {ServiceEvent[]} events */
  handleEvents(events) {
    if (!this.id) return;
    const ownEvents = events.filter(({ cardId, cardIds }) => cardId === this.id || cardIds?.includes(this.id));
    const isWide = events.some(({ type }) => /^(column|transition|field|cardType|relationship|permission)\./.test(type));
    if (events.length === 0 || ownEvents.length || isWide) this.read();
    else if (events.some(({ type }) => type.startsWith("card."))) this.read(["moves", "relations"]); // a column may be full now
  }

  /** Load earlier comments or history entries; return whether they were loaded. */
  async readEarlier(part) {
    try {
      await this.readPage(part);
      return true;
    } catch (error) {
      const entries = part === "history" ? "changes" : part;
      return void showError(`The earlier ${entries} did not load`, this.errorText(error), part);
    }
  }

  async readPage(part) {
    const { items } = this[part];
    const page = Math.floor(items.length / EARLIER_PAGE_SIZE) + 1; // new entries only make pages overlap
    const response = await fetchResponse(`${this.path}/${part}?order=desc&pageSize=${EARLIER_PAGE_SIZE}&page=${page}`, {
      method: "GET"
    });
    const found = await response.json();
    const total = Number(response.headers.get("X-Total-Count") ?? found.total);
    const knownIds = new Set(items.map(({ id }) => id));
    const older = (found.items ?? found).filter(({ id }) => !knownIds.has(id)).reverse();
    this[part] = { items: [...older, ...items], total };
    this.dispatchEvent(Object.assign(new Event("change"), { parts: new Set([part]) }));
  }

  /** Mark the changes of the card as seen by the user; after an error this is repeated at the next change. */
  markSeen() {
    this.see().catch(() => {});
  }

  async see() {
    const card = this.board.cards.get(this.id);
    if (!card?.unread || document.hidden) return;
    await put(orgPath("/seen"), { eventId: this.board.at, cardId: this.id });
    this.board.put({ ...this.board.cards.get(this.id), unread: undefined });
  }

  /** Watch the card, or no longer. */
  async toggleWatching() {
    const isOn = !this.card.watching;
    try {
      await (isOn ? put(`${this.path}/watch`) : remove(`${this.path}/watch`));
    } catch (error) {
      return showError(isOn ? "You do not watch this card" : "You still watch this card", this.errorText(error), "watch");
    }
    announce(isOn ? "You watch this card." : "You no longer watch this card.");
    await this.read(["moves"]);
  }

  /** Return the fields of the card's type, in order. */
  fields() {
    const type = this.board.type(this.card.cardTypeId);
    return [...(type?.fields ?? [])].sort((first, second) => first.order - second.order);
  }

  /** Return the current value of an edit key: a property of the card, or a custom field. */
  value(key, card = this.card) {
    if (key === "dueDate") return dueDateOf(card);
    if (!key.startsWith(FIELD)) return card[key];
    return card.fieldValues.find(({ fieldId }) => FIELD + fieldId === key)?.value ?? null;
  }

  /** Change one value and return what is saved; raise EditConflict if it is no longer `seen`, the value when editing began. */
  async edit(key, value, seen) {
    const card = await trackEdit(this.board, this.id, this.sendEdit(key, value, seen));
    if (card.version >= this.card.version) this.card = card; // else a later change was answered first
    this.board.putEdited(this.card);
    this.board.refresh();
    await this.read(["history", "moves"]);
    return this.value(key, card);
  }

  async sendEdit(key, value, seen) {
    const fieldId = key.slice(FIELD.length);
    const body = key.startsWith(FIELD) ? { fieldValues: [{ fieldId, value }] } : { [key]: value };
    for (let attempt = 0; ; attempt += 1) {
      if (!isSame(this.value(key), seen)) throw new EditConflict(this.value(key));
      try {
        return await patch(this.path, body, { version: this.card.version });
      } catch (error) {
        if (error.status !== 412 || attempt > 5) throw error;
        await this.readParts(["moves"]); // another value may have changed; then the edit is sent again
      }
    }
  }

  /** Return an error about the card as a sentence. */
  errorText(error) {
    return boardErrorText(this.board, error);
  }

  /** Create a comment or reply; `created()` is called before the comments are read again. */
  async comment(content, parentId, retry, created) {
    const path = parentId ? `${this.path}/comments/${encodeURIComponent(parentId)}/replies` : `${this.path}/comments`;
    await post(path, { content }, { retry });
    created();
    await this.read(["comments", "history"]);
  }

  /** Upload a file to the field that takes files of the card as a whole; return the file. */
  async addFileToCard(file, progress, signal) {
    const { FileRefused, findFileField } = await import("../ui/file-transfer.js");
    const { field, problem } = findFileField(this.board.type(this.card.cardTypeId), this.files.length > 0);
    if (!field) throw new FileRefused(problem);
    return this.addFile(field.id, file, progress, signal);
  }

  /** Upload a file to a field and return it; `progress(share)` is called repeatedly. */
  async addFile(fieldId, file, progress, signal) {
    const { sendFile } = await import("../ui/file-transfer.js");
    const added = await sendFile(this.id, fieldId, file, progress, signal);
    await this.read(["files", "history"]);
    return added;
  }

  async removeFile(id) {
    await remove(`/files/${encodeURIComponent(id)}`);
    await this.read(["files", "history"]);
  }
}

/** Append the newest entries (newest first). If there is a gap before them, older entries are dropped, to be loaded again. */
function appendNewest({ items }, newest, total) {
  const oldest = newest[newest.length - 1]?.id;
  const place = items.findIndex(({ id }) => id === oldest);
  return { items: [...(place > 0 ? items.slice(0, place) : []), ...newest.reverse()], total };
}

function isSame(first, second) {
  return JSON.stringify(first ?? null) === JSON.stringify(second ?? null);
}
