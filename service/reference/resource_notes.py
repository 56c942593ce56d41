"""Notes on each resource in addition to the descriptions of its routes, in Markdown."""

RESOURCE_NOTES = {
    "agents": """
An agent registers with its API key and waits until a Solution Architect approves it; `GET /agents/{agentId}/status`
returns its state. If the key of an agent was removed, its id can be registered with another key, and must be approved
again.

An API key acts for the agents that registered with it, or only for the agent to which it is bound. A key with which no
agent has registered may only register one, poll a status, and read `GET /agent/mcp`, `GET /agent/orgs` and the
onboarding text of a team; everything else is 403 `agent_not_registered`, on routes and tools. A Solution Architect can
create a key with `actsAsItself`: until an agent registers with it, such a key acts as an agent with the id and name of
the key. Removing a stopped agent does not restore the access of its key.

The service stops an agent that is out of control: too many new cards within an hour, too many comments on one card, or
a card that agents move into the same column again and again (settings `guard_*`). The request that reaches a limit is
429 `circuit_open` and changes nothing but the state of the agent. The numbers are counted in the history, so a restart
or another key does not reset them. They are reset after an hour, by a person who changes the card (for moves), or by a
Solution Architect who resumes the agent.

Before that, an agent that has created 100 cards in the last 60 minutes (setting `agent_creates_per_hour`; each part of
a split counts) has to wait: 409 `too_many_created_cards` with `details.retryAfter` in seconds, and an attention item.
""",
    "analytics": """
All figures are computed from the history, so archived cards are included. The period is `from` ≤ t < `to`, and times in
a column end at the current time. `cardsEntered` counts new cards, moves, and restores into another column; if a card is
reopened and closed again, each closing counts.
""",
    "archive": """
An archived card can be read; a change to it is 409 `archived_parent`. An archived project and its contents are 404,
with `details.archived: true` for people who may restore the project; restoring a card of it is 409. A card whose card
type was deleted cannot be restored. Restoring a project restores exactly what was archived with it.
""",
    "attention": """
The list of everything that waits for a person. A stopped agent is listed if it has unfinished cards or if the guard
stopped it, an expired claim until its card changes, an agent that wanted to create too many cards (`agent_creates`) for
an hour. For Solution Architects it has lost contents of files (`backup`) until they are restored or the files removed,
and a scheduled backup that failed, or was not made for 3 days, until the next one is made. `limit` applies to each
kind, while `counts` covers all, `waiting` only what the caller may decide or answer now, and `overdueBoards` the
overdue cards of each board; use `counts=true` if you need the numbers only.
""",
    "board_flow": """
A whole board in one response. It is cached until something in the organization changes, so frequent requests are cheap.
To be notified of changes instead, see events.
""",
    "cards": """
A new or moved card goes to the end of its column. Cards do not state their position, because counting it would make
each response slower with the length of the column: lists are in order, and `include=place` returns the card directly
above. Lists across columns are sorted by the internal rank, so cards of different columns are mixed.

A card has a `number`, in the order of creation in its project and never reused, and a `key` such as `REL-12`. Wherever
a path, a query or a body accepts the id of a card, it also accepts its key: `REL-12`, `rel-12`, `#REL-12` or `REL12`,
of a card in the organization of the path, or else in the current organization (for an agent, that of its API key). If a
text is both an id and a key, it is used as the id. If it means several cards, since `REL12` is also the second card of
`REL1`, it is 400 with their keys in `details.options`; a card of an archived board is meant only if there is no other.
""",
    "changes": """
The event log as JSON, for clients that poll. Without `since`, the response only contains the id from which to start;
with `wait`, a response without events is delayed until an event occurs.
""",
    "catch_up": """
What others did on cards, combined into one item per card: `what` contains counts, and the last of the decisions and of
the answers. `PUT …/seen` stores the last event that a person has seen, and never goes back.
""",
    "claims": """
A claim prevents other agents from working on a card for a limited time. It never restricts people, and all agents may
comment and reply. The next card never comes from a done column, even if agents may work there, and never has an open
move request or question. A claim of a specific card is possible even if the card is blocked or assigned. An agent that
claims a card again gets a new token, without a history row. A claim does not change the version of its card. If a move
or archiving ends a claim, its history row says so; a claim that a person or a transfer ends is `released` in the
history and the event `claim.ended`; a claim that expires writes no history row. Removing a team ends the claims of its
agents; a later change of the flags of a column ends no claim.

If the request names a session (`X-Agent-Session`), the claim belongs to this process of the agent and shows `session`.
Requests of the agent that name another session can read the card, without the token, comment and reply; their other
writes, questions, move requests, renewals and releases are 409 `already_claimed` with `details.claim.sameAgent`, unless
they have the token of the claim. `takeOver` claims the card for another session. A request without a session can use
all claims of the agent, and all its sessions can use a claim that was made without one.

Every request of a session, even a failed one, renews all its claims for the `leaseSeconds` that were last requested
(stored at most once a minute, for a lease of under three minutes at each third). Without a session, every write of the
claiming agent that names the card renews the claim, without a history row; a failed write does not. An agent can renew
or release a claim whatever the flags of the column are, and during a freeze. An agent may hold 5 claims at a time
(setting `agent_claims_max`); beyond, 409 `too_many_claims` lists them. Only the claiming agent gets the `token`, and
only in the response with a single card and in `GET /agent/mcp`; other responses leave the key out. `promptVersionId` is
the version of the column's prompt that was current when the work began; the history row also contains it.
""",
    "columns": """
`promptId` names the prompt for agents that work in the column; it becomes null if the prompt is deleted.

WIP limits apply to moves, new cards, restored cards and the `moveTo` of a deleted column; only restoring a whole
project ignores them. A limit may be set below the current number of cards. A deleted column is kept for the archive.
""",
    "context": """
Everything that is needed to work on a card, read in one transaction: values by the names of their fields (files
separately), relations from the point of view of the card (`blocks` `blockedBy` `dependsOn` `neededBy` `partOf` `has`
`duplicates` `duplicatedBy` `relatesTo`), the newest 10 comments and replies in chronological order, and the question
and the move request that are open, or else the last ones. The response has at most `maxTokens` (500 to 100,000, default
6,000; 4 bytes count as a token). If necessary, this is shortened, in this order and no further than necessary: the
comments before the newest three, relations, parts and files, the newest comments, the prompt, the question and the
request (each text keeps 500 characters), field values, and last the field `description` (without one, the first field).
`leftOut`, the first key, names each with the amount `shown` and the `total`, in entries or characters.
""",
    "deliveries": """
The pending and completed deliveries of a webhook. A delivery contains its event, so it remains after the event log was
shortened; of the completed deliveries, the newest 1,000 are kept.
""",
    "events": """
Every change that others can see is an event; settings, keyboard shortcuts and sign-ins are personal and create none,
and neither does a change that changes nothing. An event says what changed, not how: read the object itself. An import
is one `import.completed`, the permanent removal of a project one `project.removed`; after these, load everything again.
An event names its objects: the card by id and key, the agent, column, member, move request or comment, `fromColumnId`
and `toColumnId` of a move or a move request, and both cards of a relationship, which is one event of the card that it
points to. `archiveId` of `card.archived` and `card.restored` says that the whole board was archived or restored: these
do not count as unread changes of the card. Changes of prompt versions are `prompt.updated`, and changes of the members
of a team are `team.updated`.

Reconnect with `Last-Event-ID` (or `?since=`) to receive all events that you missed. If they are no longer stored
(setting `events_kept`), a `reset` message comes first: load everything again. A malformed or unknown id also leads to a
reset, never to an error. A client that reads first and then listens should request the last seconds as well
(`?since=10s`). The event `card.watched` concerns one person alone: only the open streams of that person get it, without
an id, and nothing else has it. Events are sent as unnamed messages, so that a client also receives types that it does
not know; only `ready` and `reset` are named. Event ids grow, with gaps; after the service was restored from a backup,
all older ids lead to a reset. A connection from which the client reads nothing for 30 s is closed, and a stream ends
when its credential becomes invalid.

The types: `agent.approved`, `agent.offline`, `agent.online`, `agent.refused`, `agent.registered`, `agent.removed`,
`agent.resumed`, `agent.stopped`, `agent.updated`, `apiKey.created`, `apiKey.removed`, `apiKey.rotated`,
`apiKey.updated`, `card.archived`, `card.claimed`, `card.created`, `card.moved`, `card.ranked`, `card.released`,
`card.removed`, `card.restored`, `card.transferred`, `card.undone`, `card.updated`, `cardType.created`,
`cardType.removed`, `cardType.updated`, `checklist.updated`, `claim.ended`, `column.created`, `column.removed`,
`column.updated`,
`comment.created`, `comment.replied`, `field.created`, `field.removed`, `field.updated`, `file.added`, `file.removed`,
`import.completed`, `member.added`, `member.invited`, `member.joined`, `member.passwordReset`, `member.removed`,
`member.updated`,
`moveRequest.approved`, `moveRequest.created`, `moveRequest.rejected`, `moveRequest.withdrawn`, `organization.archived`,
`organization.created`,
`organization.frozen`, `organization.restored`, `organization.unfrozen`, `organization.updated`, `permission.updated`,
`preset.created`, `preset.removed`, `preset.updated`, `project.archived`, `project.created`, `project.removed`,
`project.restored`, `project.updated`, `prompt.created`, `prompt.removed`, `prompt.updated`, `promptCategory.created`,
`promptCategory.removed`, `promptCategory.updated`, `question.answered`, `question.asked`, `question.withdrawn`,
`relationship.created`, `relationship.deleted`, `team.archived`, `team.created`, `team.removed`, `team.restored`,
`team.updated`, `toolServer.created`, `toolServer.removed`, `toolServer.updated`, `transition.created`,
`transition.removed`, `transition.updated`, `webhook.created`, `webhook.removed`, `webhook.updated`.
""",
    "exports": """
A consistent snapshot, streamed while other requests are served. It contains no passwords, API keys, tokens, webhook
secrets, move requests, claims or freezes. In addition to the specification, it contains the `rankKey` of cards, the
`memberIds` of teams, the `formerKeys` of cards, and the `key`, `formerKeys` and `lastNumber` (of cards) of projects, so
that an import restores them exactly. Former members appear without their e-mail address. A connection from which the
client reads nothing for 30 s is closed.
""",
    "fields": """
Deleting a field removes its values from all cards. Patterns are RE2 expressions, which run in linear time and have no
look-around and no back-references. A pattern may have 5,000 instructions (400 `invalid_pattern` beyond; counted
repetitions multiply them). The more instructions a pattern has, the shorter the values that it can check: values of any
length if it is a word or two, and at least 250 bytes in any case; a longer value is `field_validation_failed`.
""",
    "file_contents": """
The `ETag` is the id of the file, since the content of a file never changes. If the content is missing on the disk, the
response is 404 and an error is logged; a Solution Architect can upload the content again (POST), within the limits of
uploads.
""",
    "files": """
Send the ids of an upload before the file: they are then checked before the content is received. A file that comes first
is kept in memory until its ids are known, up to 8 MiB (400 beyond). A `cardId` that the caller may not see is 404, an
unknown `fieldId` is 400. `filesEnabled: false` prevents new uploads only.
""",
    "freeze": """
While agents may not write, claims do not expire: after the freeze, each has at least the time that it had left. If a
freeze has no `until`, the `expiresAt` of claims is in the year 9999 until the freeze is ended; tools show
when they would expire if it ended now, and `whoami` shows the freeze. Agents can still renew
and release their claims, and go offline.

A freeze is checked after the visibility and before the state of the card, and ends at its time without a request. An
archived organization stays frozen; an export does not contain the freeze.
""",
    "history": """
The history is append-only: no route changes a row, and rows are deleted only with the permanent removal of their card.
""",
    "imports": """
Unknown keys are ignored. A card that differs from the existing one gets a version above both and one `imported` history
row; an identical card does not change. Agents are imported as offline and without an API key, tool servers that had
secrets as disabled. People are found by id, or else by e-mail address among the members. Unknown references to people,
agents, teams and categories become null in new rows, and stay unchanged in existing rows; other unknown references are
400. A new organization gets the permissions of the snapshot; an existing one keeps its own. If the key of a project is
taken, the project gets a new key; if the number of a new card is taken, the card gets a new number; an existing card
keeps its number, and its key if the import moves it to another board. Ids must be unique within a group of rows.

A snapshot of more than 64 MiB (`GET /admin/import` returns the limit) is sent in parts, into which `tandem import`
divides it: each part is a snapshot with `meta`, `organization` and some of the rows, and with the `users` whom these
rows name. A row must not refer to a row of a later part. `meta.part {number, last}` marks a part; after the last part,
cards without history get a history row.
""",
    "members": """
An e-mail address without an account gets an account and becomes a member at once. If the address has an account, the
person is only invited: the Solution Architect gives the `invitationCode` (returned once, valid for 7 days) to that
person, who sends it with their own token to `POST /auth/invitations/accept`. Until then the member row has `state:
"invited"`, no name and no rights; DELETE withdraws the invitation, PATCH changes its role. The invitation ends when the
Solution Architect who sent it, or last changed its role, is removed or loses that role. If a member leaves an
organization, their cards in it become unassigned.

`POST /organizations/{orgId}/members/{userId}/password` is for a forgotten password. Until the person has chosen another
one (`POST /settings/password`), each answer of `POST /auth/login` says in `passwordReset` who gave the account its
password, and when.
""",
    "move_requests": """
An agent requests a move that needs approval, or a move out of a column in which agents may not move cards
(`agentCanModerate` is off). The move must be possible for a person at that time: a blocker other than the missing
approval leads to the same error as the move itself, and a request for a move that the agent can make itself is 400.
Rejecting with `toColumnId` moves the card along that transition at once; `sendsBack` in the moves of the card marks the
usual one. A card that a rejection leaves where agents may not move it is `handed_over` in attention. The note of a
decision is also a comment of the person, if the card allows comments and the person's role may comment. A request
becomes stale with a change that makes it pointless (its card is moved or archived, or its transition is deleted), and
stays stale if the change is undone; `decidedAt` is the time of that change. Deciding or withdrawing a stale request is
409 `stale_request`. The history row of an approved request names the person who approved it, with `requestedBy` and
`moveRequestId` in its changes. A rejection is a row `rejected` with the requested move (`toColumnId`) and the same two;
withdrawing writes no history row, since the card does not change. Agents are told decisions and answers with `next`,
what they can do now.
""",
    "moves": """
The list contains every transition from the card's column, also for callers who may only read. Its `blockers` begin with
missing permissions, in the form of the error that the move itself would return, followed by the other obstacles. If an
agent lacks only the permission to move the card itself and may request the move, `approval_required` comes first. A
failed move lists all blockers in `details.blockers`, if the caller may read the card; `required_fields_missing` names
the `fields`, and `transition_not_allowed` lists the `allowed` transitions from the column.
""",
    "parts": """
Splitting a card creates all parts or none. The card is blocked until its parts are done; its `parts` is their number,
and the `parent` of each part is the card. A claim on the card continues. If a part is invalid, `details.part`
identifies it.
""",
    "permissions": """
Permission rows apply to people; the flags of columns apply to agents.
""",
    "presets": """
A preset is checked when it is saved, and again when a card is created from it.
""",
    "projects": """
A project has a `key`, with which the keys of its cards begin: `REL-12` is its twelfth card. It is derived from the
title (the initials of its words, or the first three letters of a single word, followed by a number if the key is
taken), unless you specify one: 2 to 10 capital letters and digits, beginning with a letter. Former keys continue to
work, so that old links stay valid; a key is never used for another project, even after the first one was deleted (409
`key_exists`). A card that is transferred to another board keeps its former keys.

`display` says what the tiles of the board show besides the fields with `showOnCard`: the number of files
(`attachments`), how many parts and checklist items are done (`progress`), and which columns its lists have
(`listColumns`).
""",
    "questions": """
An agent asks a person with a comment that has `asks: true`, and `options` (2 to 10) if the answer is a choice. The
first reply of a person to that comment is the answer, whatever it says; replies of agents are not. Asking requires only
`agentPickupEnabled`, and ends the claim of the agent unless `keepClaim` is set. A card with an open question is never
returned as the next card; once the question is answered, the card is returned first to the agent that asked, until that
agent has claimed it once, and for 15 minutes it is not the next card of other agents. An agent may have one open
question on a card (409 `question_exists`), and none on a card that is archived or in a done column. Removing the agent
withdraws its questions. An agent may submit an answer of the person at its client: the author is then the agent, with
the label `the person at the client of` and its id.
""",
    "relationships": """
A relationship is recorded in the history of both cards and does not change their `version`. A card is blocked by
(`blockedBy`) active cards outside of done columns that block it, on which it depends, or that are part of it; a cycle
of cards that would block each other is an error, whatever kinds of relationships it consists of. A card is part of at
most one card. An agent can relate two cards if it may write to one of them.
""",
    "search": """
A card matches if it contains all words, in any of its texts. Words in quotation marks are a phrase; other words of two
letters or more may be unfinished, and English plurals find singulars and the reverse. Words are compared as names are,
without case and accents. In scripts without spaces between words, such as Chinese and Japanese, any part of a run of
characters is found. There is no query syntax besides quotation marks; a query without letters or digits finds nothing.
The words may be spread over title, field values and comments. Ids, checkbox marks and file names are not searched. A
search finds all changes that were acknowledged before.

The filters are those of `GET …/cards`: only cards that such a list contains are found. There is no filter `archived`,
since only active cards of active projects are indexed.

Cards with all words in the title come first, then those with all words in the title and the field values, then the
others; within each group, the cards that were indexed last come first. Pages end with the 20,000th card. Snippets are
plain text, with `hits` as [start, end) in Unicode characters: escape them before you display them.
""",
    "teams": """
Removing a team permanently stops its agents and disables the API keys that were bound to it.
""",
    "webhooks": """
Each event that matches a pattern in `events` (`card.moved`, `card.*` or `*`) is sent as `POST {id, type,
organizationId, event}`. Respond with 2xx within 10 s; otherwise the delivery is retried after 10 s, 1 min, 5 min, 30
min, 2 h and 6 h. The same `id` may be delivered twice, and deliveries may be out of order: sort them by the ids of the
events. The first delivery of a new webhook is its own `webhook.created`, as a test. Events that occur while a webhook
is disabled are not delivered to it; deliveries that were pending before are sent when it is enabled again. A webhook is
never disabled automatically, however long its deliveries fail. While 2,000 deliveries are pending, further events wait
in the event log. Addresses in private networks are refused (setting `webhooks_allow_private`), and redirects are not
followed. An organization may have 50 webhooks.

Accept a request only if its signature is valid and its timestamp (Unix time in seconds) is recent. In Python:

```python
def is_genuine(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    at, signature = headers["X-Tandem-Timestamp"], headers["X-Tandem-Signature"]
    expected = hmac.new(secret.encode(), at.encode() + b"." + body, "sha256").hexdigest()
    return hmac.compare_digest("sha256=" + expected, signature) and abs(time.time() - int(at)) < 300
```
""",
}
