// A card that is open: everything of it, kept up while somebody looks, and changed under the version that was seen.

import { Refused, ask, get, patch, post, remove } from "./api.js";
import { live } from "./live.js";
import { path } from "./organization.js";

const PAGE = 20;
const FIELD = "field:"; // before the id of a field, where a key names what is edited
const PARTS = ["card", "comments", "history", "relations", "files", "moves"];

/** Somebody else changed the same thing meanwhile: what it was, what it is now. */
export class Conflict extends Error {
  constructor(theirs) {
    super("Somebody changed the same thing meanwhile.");
    this.theirs = theirs;
  }
}

/** An open card; tells `change` with the `parts` of it that were read anew, and `gone`. */
export class OpenCard extends EventTarget {
  constructor(board, name) {
    super();
    Object.assign(this, { board, name, id: null, card: null, comments: null, history: null });
    Object.assign(this, { relations: [], files: new Map(), moves: [], asked: new Set() });
    this.hear = ({ events }) => this.heard(events);
    live.addEventListener("news", this.hear);
    this.ready = this.load();
  }

  close() {
    live.removeEventListener("news", this.hear);
    this.isClosed = true;
  }

  get where() {
    return `/cards/${encodeURIComponent(this.id ?? this.name)}`;
  }

  async load() {
    await Promise.all([this.readCard(), this.board.ready]);
    this.id = this.card.id;
    await this.read(PARTS.filter((part) => part !== "card"));
    return this;
  }

  /** Read some parts anew and tell of them. What cannot be read stays as it was. */
  async read(parts = PARTS) {
    const wanted = new Set(parts);
    const readers = { card: "readCard", comments: "readComments", history: "readHistory" };
    Object.assign(readers, { relations: "readRelations", files: "readFiles", moves: "readMoves" });
    const read = [...wanted].map((part) => this[readers[part]]());
    for (const result of await Promise.allSettled(read)) {
      if (result.status === "rejected" && result.reason?.status === 404) return this.leave(result.reason);
    }
    if (!this.isClosed) this.dispatchEvent(Object.assign(new Event("change"), { parts: wanted }));
  }

  leave(error) {
    if (!this.isClosed) this.dispatchEvent(Object.assign(new Event("gone"), { error }));
  }

  heard(events) {
    if (!this.id) return;
    const mine = events.filter(({ cardId, cardIds }) => cardId === this.id || cardIds?.includes(this.id));
    const isWide = events.some(({ type }) => /^(column|transition|field|cardType|relationship|permission)\./.test(type));
    if (events.length === 0 || mine.length || isWide) this.read();
    else if (events.some(({ type }) => type.startsWith("card."))) this.read(["moves"]); // a column may be full now
  }

  async readCard() {
    const card = await get(this.where);
    if (card.archivedAt) throw new Refused(404, { code: "not_found", message: "The card is in the archive." });
    this.card = card;
  }

  async readComments() {
    const first = await get(`${this.where}/comments?pageSize=${PAGE}`);
    const last = Math.ceil(first.total / PAGE) || 1;
    const pages = await this.pages(last, first.items, async (page) => {
      return (await get(`${this.where}/comments?pageSize=${PAGE}&page=${page}`)).items;
    });
    this.comments = { items: pages, total: first.total };
  }

  async readHistory() {
    const page = async (number) => {
      const response = await ask(`${this.where}/history?pageSize=${PAGE}&page=${number}`, { method: "GET" });
      return { total: Number(response.headers.get("X-Total-Count")), rows: await response.json() };
    };
    const first = await page(1);
    const last = Math.ceil(first.total / PAGE) || 1;
    const rows = await this.pages(last, first.rows, async (number) => (await page(number)).rows);
    this.history = { rows, total: first.total };
  }

  /** The newest stand last: read the last page, and the one before if it is short. */
  async pages(last, first, read) {
    if (last === 1) return first;
    const newest = await read(last);
    if (newest.length === PAGE) return newest;
    return [...(last === 2 ? first : await read(last - 1)), ...newest];
  }

  /** Read all comments, for whoever wants the earlier ones too. */
  async readAllComments() {
    const items = [];
    for (let page = 1; items.length < this.comments.total; page += 1) {
      const { items: more } = await get(`${this.where}/comments?pageSize=100&page=${page}`);
      if (!more.length) break;
      items.push(...more);
    }
    this.comments = { items, total: items.length };
    this.dispatchEvent(Object.assign(new Event("change"), { parts: new Set(["comments"]) }));
  }

  async readRelations() {
    this.relations = await get(path(`/relationships?cardId=${encodeURIComponent(this.id)}`));
  }

  async readFiles() {
    const fields = this.fields().filter(({ kind }) => kind === "file");
    const where = (id) => `/files/card/${encodeURIComponent(this.id)}/field/${encodeURIComponent(id)}`;
    const read = async ({ id }) => [id, await get(where(id))];
    this.files = new Map(await Promise.all(fields.map(read)));
  }

  async readMoves() {
    this.moves = await get(`${this.where}/moves`);
  }

  /** Give the fields of the card's type, in order. */
  fields() {
    const type = this.board.type(this.card.cardTypeId);
    return [...(type?.fields ?? [])].sort((one, other) => one.order - other.order);
  }

  /** Give what a key of an edit is now: a property of the card, or the value of a field by its id. */
  value(key, card = this.card) {
    if (!key.startsWith(FIELD)) return card[key];
    return card.fieldValues.find(({ fieldId }) => FIELD + fieldId === key)?.value ?? null;
  }

  /** Change one thing that was `seen` so; raise Conflict if somebody changed the same thing since. */
  async edit(key, value, seen) {
    const fieldId = key.slice(FIELD.length);
    const body = key.startsWith(FIELD) ? { fieldValues: [{ fieldId, value }] } : { [key]: value };
    for (let attempt = 0; ; attempt += 1) {
      if (!same(this.value(key), seen)) throw new Conflict(this.value(key));
      try {
        this.card = await patch(this.where, body, { version: this.card.version });
        break;
      } catch (error) {
        if (error.status !== 412 || attempt > 5) throw error;
        await this.readCard(); // somebody changed something; if it was something else, that does not matter
      }
    }
    this.board.refresh();
    await this.read(["history", "moves"]);
  }

  async comment(content, parentId, retry) {
    const where = parentId ? `${this.where}/comments/${encodeURIComponent(parentId)}/replies` : `${this.where}/comments`;
    await post(where, { content }, { retry });
    await this.read(["comments", "history"]);
  }

  /** Put a file into a field. */
  async addFile(fieldId, file) {
    const form = new FormData();
    form.append("cardId", this.id);
    form.append("fieldId", fieldId);
    form.append("file", file, file.name);
    await ask("/files", { method: "POST", body: form });
    await this.read(["files", "history"]);
  }

  async removeFile(id) {
    await remove(`/files/${encodeURIComponent(id)}`);
    await this.read(["files", "history"]);
  }
}

function same(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
