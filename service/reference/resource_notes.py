"""Notes on each resource in addition to the descriptions of its routes, in Markdown."""

RESOURCE_NOTES = {
    "agents": """ An agent registers with its key and waits until a Solution Architect approves it; `GET
/agents/{agentId}/status` tells when. An id whose key was removed can be registered with another key, and must be
approved again.

A key acts for the agents that registered with it, or for the one to which it is bound, and for nobody else. A key with
which no agent has registered may register one, poll a status, and read `GET /agent/mcp`, `GET /agent/orgs` and the
onboarding of a team; all else is 403 `agent_not_registered`, on routes and tools, unless a Solution Architect made it
with `actsAsItself`: then it acts as itself, with its id and name, until an agent registers with it. Removing a stopped
agent gives its key nothing back.

A runaway is stopped by the service: too many cards within an hour, too many comments on one card, or a card that
agents move into the same column again and again (settings `guard_*`). The request that trips it is 429 `circuit_open`
and changes nothing but the agent. The guard counts in the history, so a restart or another key resets nothing; an
hour, a person who touches the card (for moves) or a Solution Architect who resumes the agent does.
""",
    "analytics": """
Everything is worked out from history, so archived cards count. The window is `from` ≤ t < `to`, and nobody dwells
past now. `cardsEntered` counts creations, moves, and restores into another column; each closing of a reopened card
counts.
""",
    "archive": """
An archived card can be read; a change of it is 409 `archived_parent`. What belongs to an archived project is 404, but
for the restore of a card, which says 409. A card whose type was deleted cannot be restored. What archiving a project
took along comes back with it, and nothing else.
""",
    "attention": """
One list of what waits for a person. A stopped agent is on it if unfinished cards are assigned to it or the guard
stopped it, an expired claim until anything happens to its card. With `limit` a kind, `counts` name all kinds; ask for
`counts=true` where only the numbers are shown.
""",
    "board_flow": """
A whole board as its statements put it together; it is kept until something in the organization changes, so to ask for
it often is cheap. To hear of changes instead of asking, see events.
""",
    "cards": """
A new or moved card goes to the end of its column. Cards tell no position, since to count it would make every answer
dearer with the length of the column: lists come in order, and `include=place` tells the card right above. Lists
across columns sort by the number behind the order, so cards of different columns interleave.

A card has a `number`, in the order of creation in its project and never given twice, and a `key`: `REL-12`. Wherever
the id of a card is taken, in a path, a query or a body, its key is taken too, in either case: in the organization of
the path, else in the current one (of an agent's key, its own). An id wins over a key.
""",
    "changes": """
The log of events as JSON, for those who ask now and then. Without `since` the answer holds nothing but the id to
start from; with `wait` one that would be empty waits for something to happen.
""",
    "catch_up": """
What others did on cards, folded to one item a card: `what` counts, of decisions and answers the last is told. `PUT
…/seen` says up to which event a person has seen it, and never goes back.
""",
    "claims": """
A claim keeps other agents off a card for a while; people are never kept off, and comments and replies are open to all
agents. The next card never comes from a done column, even if agents may work there, and never has an open move request
or question.
A claim on one named card does not ask whether it is blocked or assigned. Claiming again what one holds gives a new
token and writes no history. A claim is no new version of its card. What ends a claim is in the history row of the move
or the archiving; a lease that runs out writes none. Removing a team ends its agents' claims; a later change of a
column's flags ends none.

Every write of the holder that names the card renews the claim to its full length, the `leaseSeconds` last asked for,
without history; a refused one does not. To renew or to give back asks neither the column nor a freeze. An agent holds
5 cards at a time (setting `agent_claims_max`): beyond, 409 `too_many_claims` lists them. Only its holder sees the
`token`, and only where one card is shown and in `GET /agent/mcp`; elsewhere the key is left out. `promptVersionId` is
the version of the column's prompt that was current when the work began; the history row says so too.
""",
    "columns": """
`promptId` names the prompt of agents who work in the column; with the prompt it goes too.

WIP limits hold for every way into a column: moves, new cards, restores and `moveTo` of a deleted column; only the
restore of a whole project ignores them. Lowering a limit below what is there is allowed. A deleted column is kept for
the archive.
""",
    "context": """
What one has to know to work on a card, from one moment: values by the names of their fields (files stand apart),
relations as seen from the card (`blocks` `blockedBy` `dependsOn` `neededBy` `partOf` `has` `duplicates` `duplicatedBy`
`relatesTo`), of comments and replies the newest 10, oldest of them first, the question and the move request that are
open, else the last ones. An answer takes at most `maxTokens` (500 to 100,000, default 8,000; 4 bytes a token): lists
end sooner, then the longest texts, and `leftOut` names each with what is shown and the `total`, in entries or
characters.
""",
    "deliveries": """
What a webhook was or is to be told. A delivery carries its event, so it outlives the log; settled ones beyond the
newest 1,000 are forgotten.
""",
    "events": """
Everything that others can see is an event; settings, shortcuts and sign-ins are personal, and a change that changes
nothing is none. An event says what changed, not how: read the thing itself. An import is one `import.completed`, a
project removed for good one `project.removed`: load everything again. What it is about it names: the card by id and
key, the agent, column, member, request or comment, `fromColumnId` and `toColumnId` of a move or a request for one,
both ends of a relation, which is one event, about the card it points to; prompt versions are `prompt.updated`, and
who joins or leaves a team is `team.updated`.

Come back with `Last-Event-ID` (or `?since=`) and you get all that you missed; if that is no longer known (setting
`events_kept`), a `reset` message comes first: load everything again. A malformed or unknown id is a reset, never an
error. Who reads first and listens then asks for the last seconds too (`?since=10s`). All events are plain messages,
so that a client hears of types that it does not know yet; only `ready` and `reset` have names. Ids count through all
organizations. A listener that takes nothing for 30 s is cut off, and a stream ends with the right to it.

The types: `agent.approved`, `agent.offline`, `agent.online`, `agent.refused`, `agent.registered`, `agent.removed`,
`agent.resumed`, `agent.stopped`, `agent.updated`, `apiKey.created`, `apiKey.removed`, `apiKey.rotated`,
`apiKey.updated`, `card.archived`, `card.claimed`, `card.created`, `card.moved`, `card.ranked`, `card.released`,
`card.removed`, `card.restored`, `card.undone`, `card.updated`, `cardType.created`, `cardType.removed`,
`cardType.updated`, `column.created`, `column.removed`, `column.updated`, `comment.created`, `comment.replied`,
`field.created`, `field.removed`, `field.updated`, `file.added`, `file.removed`, `import.completed`, `member.added`,
`member.invited`, `member.joined`, `member.removed`, `member.updated`, `moveRequest.approved`, `moveRequest.created`,
`moveRequest.rejected`, `moveRequest.withdrawn`, `organization.archived`, `organization.created`, `organization.frozen`,
`organization.restored`, `organization.unfrozen`, `organization.updated`, `permission.updated`, `preset.created`,
`preset.removed`, `preset.updated`, `project.archived`, `project.created`, `project.removed`, `project.restored`,
`project.updated`, `prompt.created`, `prompt.removed`, `prompt.updated`, `promptCategory.created`,
`promptCategory.removed`, `promptCategory.updated`, `question.answered`, `question.asked`, `question.withdrawn`,
`relationship.created`, `relationship.deleted`, `team.archived`, `team.created`, `team.removed`, `team.restored`,
`team.updated`, `toolServer.created`, `toolServer.removed`, `toolServer.updated`, `transition.created`,
`transition.removed`, `transition.updated`, `webhook.created`, `webhook.removed`, `webhook.updated`.
""",
    "exports": """
One consistent snapshot, streamed while work goes on. It never holds a password, a key, a token or a webhook's secret,
nor move requests, claims and freezes. Besides what the specification names it carries `rankKey` of cards,
`memberIds` of teams, and `key`, `formerKeys` and `lastNumber` (of its cards) of projects, so that an import brings
back exactly that. People who have left appear without their e-mail. A client that takes nothing for 30 s is cut off.
""",
    "fields": """
Deleting a field removes its values from cards. Patterns are RE2: linear time, no look-around, no back-references. A
pattern may have 5,000 instructions (400 `invalid_pattern` beyond: counted repetition multiplies them), and looks
through the fewer bytes of a value the more it has: through the longest text if it is a word or two, through 250 at the
least; a longer value is `field_validation_failed`.
""",
    "file_contents": """
The `ETag` is the file's id, since contents never change under it. Contents that are missing on the disk are 404, and
logged for whoever runs the service; a Solution Architect can bring them back (POST), within the bounds of an upload.
""",
    "files": """
An upload sends its ids before the file: what is wrong with them is answered before the contents are taken. A file that
comes first is held in memory until its ids are known, 8 MiB at the most (400 beyond). A `cardId` that the caller may
not see is 404, an unknown `fieldId` 400. `filesEnabled: false` stops uploads only.
""",
    "freeze": """
While agents may not write, no claim runs out: after the freeze each has at least the time that it had left. Until
somebody ends a freeze without `until`, `expiresAt` of claims shows the year 9999. Agents go on renewing and giving back
their claims, and may go offline.

A freeze is judged after visibility and before the state of the card, and ends by the clock. An archived organization
stays frozen; an export does not carry it.
""",
    "history": """
Append-only: no route changes a row, and rows leave only with the permanent removal of their card.
""",
    "imports": """
Unknown keys are passed over. A card that differs gets a version above both and one `imported` row; an identical one
is not touched. Agents come back offline and without a key, tool servers that had secrets disabled. People are found
by id, else by e-mail among the members. References to people, agents, teams and categories that are not there become
null in new rows and stay what they were in rows that exist; others that name nothing are 400. Permissions come to an
organization that the import makes; one that exists keeps its own. A project whose key is taken by then gets a new one,
a card whose number is taken too; a card that is there keeps its number. No two rows of a group may have the same id.

A snapshot over 64 MiB (`GET /admin/import` tells) comes in parts (`tandem import` cuts them): each is a snapshot with
`meta`, `organization` and some of the rows, in an order in which what a row refers to is in its part or in an earlier
one, with the `users` that its rows name. `meta.part {number, last}` says so; the last completes cards without history.
""",
    "members": """
An e-mail without an account gets one, and is a member at once. An e-mail that has an account is only invited: the
architect hands the `invitationCode` (shown once, good for 7 days) to the person, who sends it with their own token to
`POST /auth/invitations/accept`. Until then the row says `state: "invited"`, tells no name and gives no rights; DELETE
takes the invitation back, PATCH changes the role it is for. Leaving an organization unassigns one's cards there.
""",
    "move_requests": """
An agent asks for a move that needs approval, or out of a column where agents may not move cards (`agentCanModerate`
off). It asks only for what a person could do now: any blocker but the approval refuses the request as it would the
move, and a move that the agent can make itself is 400. Rejecting with `toColumnId` sends the card back along that
transition at once. The note of a decision is a comment of the person too, where the card takes comments and the
person's role may comment. A request goes stale with the change that makes it pointless (its
card moves or is archived, its transition goes) and stays so if that is undone; `decidedAt` says since when. Deciding
or withdrawing a stale one is 409 `stale_request`. The history row of an approved one is by the person who decided,
with `requestedBy` and `moveRequestId` in its changes; other decisions write no history, since the card does not
change.
""",
    "moves": """
Every edge out of the card's column is listed, also for those who may only read; what the caller lacks comes first, as
the move itself would refuse it, then what stands in the way of the move. Where all that is missing is that a person
moves the card, and the agent may ask for that, `approval_required` comes first. A refused move carries all of that in
`details.blockers`, if the caller may read the card; `required_fields_missing` names the `fields`, and
`transition_not_allowed` the ways that are `allowed` out of the column.
""",
    "parts": """
A split makes all parts or none. The card is held back until they are done, and tells their number in `parts`; each
part tells its card in `parent`. A claim on the card lives on. For a part that cannot be, `details.part` says which.
""",
    "permissions": """
Rows govern people; agents are governed by the flags of columns.
""",
    "presets": """
A preset is checked when it is written, and again when a card is made from it.
""",
    "projects": """
A project has a `key`, with which those of its cards begin: `REL-12` is its twelfth card. It is made from the title
(the first letters of its words, or the first three letters of its one word, and a number where that is taken) unless
you name one: 2 to 10 capital letters and digits, a letter first. Former keys stay the project's, so that old links go
on working; keys are never given to another project, whatever became of the first (409 `key_exists`).
""",
    "questions": """
An agent asks a person by a comment with `asks: true`, and `options` (2 to 10) where the answer is a choice. The first
reply of a person to that comment answers it, whatever it says; agents' replies do not. Asking needs
`agentPickupEnabled` only, and ends the asker's claim unless `keepClaim`: the next card is never one with an open
question, and once it is answered the card comes first for the agent that asked, until it has claimed it once. One
question of an agent on a card is open at a time (409 `question_exists`); on a card that is archived or in a done column
none is. Removing the agent withdraws its questions. What the person at its client says, an agent may pass on as the
answer: the author is then the agent, labelled `the person at the client of` and its id.
""",
    "relationships": """
A relation shows in the history of both cards and does not raise their `version`. What holds a card back (its
`blockedBy`) are active cards outside of done columns that block it, that it depends on, or that are part of it; a
circle of cards that would wait for each other is refused, whatever kinds it is made of. A card is part of one card
at most. An agent relates cards if it may write to one of the two.
""",
    "search": """
All words must be on one card, wherever they stand: in quotes as a phrase, the last one (two letters or more) also
unfinished; case and most accents do not matter. In scripts without blanks between words, as Chinese and Japanese, any
part of a run of characters is found. No character is syntax; a text without letters or digits finds nothing. Of more
than 50 comments, words in different stretches of 50 do not count together. Ids, marks of checkboxes
and names of files are not searched. All that was acknowledged before is found.

Cards with all words in the title come first, then those with them in title and field values, then the rest; in each
of these those indexed last. Pages end with the 20,000th card. Snippets are plain text with `hits` as [start, end) in
Unicode characters: escape them where you show them.
""",
    "teams": """
Removing a team for good stops its agents and disables the keys that were bound to it.
""",
    "webhooks": """
Each event that fits the patterns in `events` (`card.moved`, `card.*` or `*`) is sent as `POST {id, type,
organizationId, event}`. Answer 2xx within 10 s; anything else is tried again after 10 s, 1 min, 5 min, 30 min, 2 h
and 6 h. The same `id` may come twice, and the order is not promised: events carry theirs. A new webhook is first told
of its own `webhook.created`: a trial. One that is disabled misses what happens; what it was to be sent before goes
out once it is enabled. Nothing is disabled by itself, however long it fails. With 2,000 deliveries pending further
events wait in the log. Addresses in private networks are refused (setting `webhooks_allow_private`), redirects are
not followed. There are 50 webhooks in an organization at the most.

Believe a request only if it is signed, and young; the timestamp is in Unix seconds. In Python:

```python
def is_genuine(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    at, signature = headers["X-Tandem-Timestamp"], headers["X-Tandem-Signature"]
    expected = hmac.new(secret.encode(), at.encode() + b"." + body, "sha256").hexdigest()
    return hmac.compare_digest("sha256=" + expected, signature) and abs(time.time() - int(at)) < 300
```
""",
}
