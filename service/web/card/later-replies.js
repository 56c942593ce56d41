// The replies to a comment of an open card that do not come with the card.

import { get } from "../core/api.js";
import { showError } from "../ui/toast.js";

const PAGE_SIZE = 100;

/** Return the replies to a comment behind those that it has; on an error say so and return null. */
export async function readLaterReplies(open, { id, replies, repliesTotal }) {
  const found = [];
  try {
    for (let page = 1; (page - 1) * PAGE_SIZE < repliesTotal; page += 1) {
      const path = `${open.path}/comments/${encodeURIComponent(id)}/replies`;
      if (page * PAGE_SIZE > replies.length) found.push(...(await get(`${path}?pageSize=${PAGE_SIZE}&page=${page}`)).items);
    }
  } catch (error) {
    showError("The later replies did not load", open.errorText(error), "replies");
    return null;
  }
  const knownIds = new Set(replies.map((reply) => reply.id));
  return found.filter((reply) => !knownIds.has(reply.id));
}
