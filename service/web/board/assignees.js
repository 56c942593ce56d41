// The menu of the people and agents to whom cards can be assigned.

import { phrase } from "../core/format.js";
import { agentAvatar, agentBadges, userAvatar } from "../ui/avatar.js";
import { openChoiceMenu } from "../ui/listbox/menu.js";

/**
 * Open the menu of assignees; `assign(changes, message)` is called with the chosen one. The current ones of `card` are
 * checked, if it is given. `focus()` is called when the menu closes, if it had the focus.
 */
export function openAssigneeMenu(anchor, board, assign, card = null, focus = undefined) {
  const badges = agentBadges(board.agents);
  const item = (key, mark) => (candidate) => {
    const label = candidate.name ?? candidate.title;
    const checked = card ? card[key] === candidate.id : undefined;
    return { label, mark: mark(candidate), checked, run: () => assign({ [key]: candidate.id }, phrase`assigned to ${label}`) };
  };
  const person = item("assignedUserId", ({ name }) => userAvatar(name));
  const agent = item("assignedAgentId", ({ id, title }) => agentAvatar(badges.get(id), title));
  const agents = board.agents.filter(({ status }) => status === "approved");
  const nobody = { assignedUserId: null, assignedAgentId: null };
  const isFree = card ? !card.assignedUserId && !card.assignedAgentId : undefined;
  const items = [
    { head: "Assign" },
    { label: "Nobody", checked: isFree, run: () => assign(nobody, "assigned to nobody") },
    { head: "People" },
    ...board.people.map(person),
    ...(agents.length ? [{ head: "Agents" }] : []),
    ...agents.map(agent)
  ];
  openChoiceMenu(anchor, { label: "Assign", items, focus });
}
