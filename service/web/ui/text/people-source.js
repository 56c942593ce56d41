// The completion of the names of people and agents.

import { agentAvatar, agentBadges, userAvatar } from "../avatar.js";

/** Return the source of completions (ui/listbox/completion.js) with the members and the agents of a board. */
export function peopleSource(board) {
  const item = (label, name, mark) => ({ label, names: [name], why: `@${name}`, mark, text: `@${name}` });
  return {
    prefix: "@",
    label: "People and agents",
    items() {
      const badges = agentBadges(board.agents);
      const agents = board.agents.filter(({ status }) => status !== "pending");
      return [
        ...board.people.map(({ name, handle }) => item(name, handle, userAvatar(name))),
        ...agents.map(({ id, title }) => item(title, id, agentAvatar(badges.get(id), title)))
      ];
    }
  };
}
