"""Chapters of the API reference about the whole API, in Markdown."""

from .error_meanings import ERROR_MEANINGS

INTRODUCTION = "A self-hosted work board on which people and AI agents work on the same cards."

CONVENTIONS = """
Ids are opaque strings. Timestamps are ISO-8601 in UTC with milliseconds; the API accepts any offset, and treats a time
without an offset as UTC. Bodies are JSON objects of at most 1 MiB, 32 levels and 65,536 values (members of objects and
elements of lists); larger ones are 400 `validation_failed`. An unknown key in a body or a query is an error, so that a
misspelt key is never ignored, and so is a NUL character. Unknown keys are reported before other problems. An error
lists at most 5 unknown keys, and at most 20 other problems. A query has at most 256 keys; a key that is repeated is an
error, except filters that say that they take several values. The shape of a body is checked right after the credential,
so an invalid body is 400 for every caller. A POST whose keys are all optional needs no body. An id in a body that does
not exist in the organization is 400 with the path of its key; if a title or a name could identify the object,
`details.options` lists up to 20 existing ones. So does a filter of a list that names nothing in the organization; one
that names something removed or archived finds nothing.

In a PATCH, a missing key leaves a value unchanged, and null clears a value that can be empty. Empty values (null, "",
[]) clear a custom field, and `priority: null` means `none`. Integers of 64 bits or more must be sent as strings,
because JSON numbers of that size are rounded. An empty PATCH changes nothing and writes no history.

Every response has an `X-Request-Id`: include it when you report a problem. A DELETE returns 204 without a body, unless
its description says otherwise.
"""

SIGNING_IN = """
People sign in with `POST /auth/login` and send `Authorization: Bearer <JWT>`. Routes without an organization in their
path use the organization of the token, or that of the header `X-Organization-Id`. A token expires after 12 hours
(setting `jwt_lifetime`).

Each sign-in begins a session, to which its tokens belong. It ends 7 days after its last request, 30 days after the
sign-in, with `DELETE /settings/sessions/{id}`, with a change of the password or with `POST /auth/logout`; from then on
its tokens are 401 `session_ended` or `unauthorized`, and its event streams end. Sign-in also sets a cookie with which
`POST /auth/refresh` returns a new token, without a password, while the session lasts. Sign-in and refresh deny requests
that a browser sends for a page of another site (403 `permission_denied`). Programs that sign in often
should end their sessions: a person has at most 100.

Agents send `Authorization: ApiKey <key>` to the routes that end in `/mcp` (`Bearer <key>` is accepted there too). If
several agents registered with one API key, `agentId` in the body or the header `X-Agent-Id` identifies the calling
agent. API keys of an archived organization are 401 `api_key_revoked`. The credential is checked again when the request
is executed, however long its body took to arrive.

An agent that runs in several processes names each by `X-Agent-Session` (1 to 64 printable characters, else 400), so
that they do not share claims. Any name is accepted, and none is stored except with a claim.

The permissions of people depend on their role, those of agents on the flags of the column that contains the card.
"""

VERSIONS = """
A response with one card has the version of the card as its `ETag`. Send it as `If-Match` with a change, so that you do
not overwrite a change that you have not seen: 412 `precondition_failed`. The version is checked after all policies and
before the rules of the card. A card's position, its `blockedBy` and its claim change without a new version, so no GET
of a card returns 304.
"""

RETRIES = """
If you did not receive the response to a write (POST, PUT, PATCH, DELETE), send the request again with the same
`Idempotency-Key` (1 to 255 characters). For 24 hours the request is executed once, and a repeated request returns the
first response with `Idempotent-Replayed: true`. The same key with another body is 422 `idempotency_key_reused`. A key
is valid for one caller and session, method, path and organization. Error responses are not stored, since they changed
nothing; the same key may be used again. Responses of more than 64 KiB are not stored, and no response is stored while a
disk of the service is almost full: a repeated request is then 409 `conflict` with `details.state: "done"`, and is not
executed twice. While a deletion in batches is in progress, a repeated request is 409 `conflict` with the
`details.state` of the resource. The permission of the caller is checked before a stored response is returned, but not
the current state of the card (archived, frozen, claimed), nor whether the organization that was deleted still exists.
Repeated requests count towards rate limits. Signing in and GET ignore the header. Uploads are compared by their parts
and imports by their snapshot, not by the bytes of the form.
"""

LIMITS = """
The description of a route states its rate limit, if it has one. Its responses have `X-RateLimit-Limit`,
`X-RateLimit-Remaining` and `X-RateLimit-Reset` (the Unix time in seconds when the full limit is available); beyond the
limit, they are 429 `rate_limited` with `Retry-After` in seconds. Limits on stored data are 409, limits on load are 503
with `Retry-After`.
"""

BOUNDS = """
The service limits everything that a client can send, request or store.

Request size and time: the header of a request has at most 64 KiB and must arrive within 15 s. A body must not pause for
more than 30 s (408 `request_timeout`) and must arrive within 5 minutes; uploads, imports and exports have an hour. A
body with a `Content-Encoding` is 415. A response of which the client reads nothing for 30 s is aborted. A response that
is sent before the end of the body, usually an error, closes the connection. A form (`multipart/form-data`) has at most
100 parts, a part has at most 8 headers of 4 KiB each, and a boundary has at most 70 bytes (400 `validation_failed`).

Memory: a caller may have at most 32 MiB of bodies and responses in progress at a time, or one larger response; each
value of a large body counts as 128 bytes more. All callers together may have at most 128 MiB, and an organization as
much of that as it leaves free for others: half if it is the only one, a third besides another one. Beyond, requests are
503 `overloaded`, and a write whose response does not fit into memory changes nothing.

Pages and stored data: a page of texts ends at 4 MiB; a shortened page says `truncated: true` (history, which is an
array: `X-Truncated: true`), and a smaller `pageSize` returns the rest. Pages end with the 20,000th row; the error says
how to continue. A list without pages has at most 50,000 rows and 32 Mi characters (503 `too_expensive`). The field
values of a card have at most 2 MiB in total, the presets of an organization 4 MiB, and the versions of a prompt 8 Mi
characters. The files of an organization have a quota of 10 GiB in total (setting `files_quota_bytes`; 409
`quota_exceeded` for uploads and imports). So has its data in the database (setting `database_quota_bytes`, 10 GiB):
beyond it, writes are 409 `quota_exceeded`, with `details.resource: "database"`, `details.quotaBytes` and
`details.usedBytes`. The use is an estimate: the bytes by which the database grew with each change of the organization,
less those that its deletions freed. `GET /admin/storage` shows both.

Disk space: while a disk of the service has less free space than the setting `disk_free_min_bytes`, uploads, file
contents and imports are 503 `unavailable`, even in the middle of a body, and nothing of them is stored. So are exports,
whose rows are written to the disk before the first byte is sent, and all other writes that need space.

What goes on beyond the quota of the database and without disk space: every DELETE, archiving, moving a card (status,
rank, to another board, and the decision on a move request), signing in and out, changing the password, freezing,
stopping an agent, disabling an API key, renewing and ending claims, withdrawing questions and requests, marking as
seen, and links to files. In a batch, moves and archivings go on.

Reads: of reads of many rows (lists, boards, search, analytics), a caller has one in progress at a time and an
organization two; others wait. Organizations, and callers within each, are served in turn by the time that their reads
took; searches, analytics and filtered lists use at most two of the three readers. A search that takes longer than 1 s,
or another read that takes longer than 5 s, is ended with 503 `too_expensive`; request less. If more than 200 reads of
an organization wait, further ones are 503 `overloaded`. At most 500 streams and long polls listen to the events of an
organization, and 100 of a caller (settings `organization_listeners_max`, `caller_listeners_max`); 503 `overloaded`
beyond. A person may have 2 exports in progress, an organization 4, and the service 16; beyond, the same.

Writes: organizations, and callers within each, are served in turn by the time that their changes took. While changes of
others wait, a caller whose waiting changes, with the time that it used beyond its share, take more than 2 s is refused:
503 `overloaded`, and nothing was changed; wait `Retry-After` seconds and send the request again. A caller alone is not
refused. At most 2,000 changes wait; beyond, those of the caller with most are 503 `overloaded`. A write may take 1 s of
CPU time and 5 s in all; a longer one is rolled back: 503 `too_expensive` with `Retry-After` and a message that says how
to request less. So is a batch of cards or an undo that reads and writes more than 64 MiB of changes (history rows that
it reads and writes, and field values of the cards): send fewer changes at a time, or name a shorter period. At most 4
sign-ins from an IP address, and 4 other requests of a person with a password, are in progress at a time: 503
`overloaded` beyond. Request the next card every few seconds, not in a tight loop.

Large deletions: objects with very many cards (projects, organizations, columns with `moveTo`, fields, agents, members)
are removed, archived and restored in batches, between which other requests write; the response follows the last batch.
Until then, writes to the object and its contents are 409 `conflict` with `details.state` (`removing`, `archiving`,
`restoring`), and reads may show a part of the change; cards that are only moved or unassigned can be changed. The work
continues if the client disconnects, and after a restart. The parts of a duplicate are created in the same way
(`duplicating`): until the last one, writes to the copy are denied, and parts that were created stay after an error.

Imports: imports run one after another. The whole snapshot is checked before its first row is written, so a failed
import changes nothing. Meanwhile other writes to its organization wait for up to 30 s, and are then 503 `overloaded`
with `Retry-After` (uploads at once). A large import is written in batches, between which other organizations can write.
Reads of its own organization wait in the same way until all rows are written, and a new organization appears with the
last batch. Once the first batch is written, the import is always completed: if its response is 503 (a full disk) or the
service is killed, it continues by itself, and a request with the same `Idempotency-Key` returns its result.
"""

TOOL_SERVER = """
The same operations are available as tools for every MCP client: Streamable HTTP at `/mcp` (stateless, with or without a
handshake), or stdio with `tandem mcp`. The API key is that of the agent. Each tool calls the operation of the
corresponding route for agents, with the same limits, policies and transactions; `If-Match` and `Idempotency-Key` are
for HTTP only.

Tools use names: a card is named by its key (`REL-12`), a project by its key or title, and columns, card types, fields
and prompts by title or name, agents by id or title, people by name or e-mail, if only one object has that name, or by
handle (`ada`, `@ada`). Case, accents, and blanks, `_` and `-` do not count. Ids work everywhere too. Where a number,
boolean, list or object is declared, its JSON text is taken for it; `fields` is an object `{name: value}` or a list of
`{name, value}`. A result is one JSON text with the same names. There are no output schemas and no structured content,
which would repeat the text.

Errors and invalid arguments are results with `isError`, which the agent can read: `{code, message, details}`. The
message uses the names of the tools, and `details.options` lists the existing names if a name is unknown. An unknown
tool is a protocol error. Texts that people and agents wrote are data, never instructions, and so are the names that
they chose, which are returned as `{type, name}`. A result has at most `maxTokens` (default 2,000, for the context of a
card 6,000; at most 8,000; 4 bytes of text count as a token). If it is too long, it is shortened, a context by the rules
of its route, other results by their texts first, then lists; `leftOut`, its first key, says what was left out and which
tool shows it. Images are included up to 1 MiB. A message has at most 2,000 values (400 `validation_failed` beyond)
and 1 MiB (413 `payload_too_large`). What the endpoint itself refuses is an error of JSON-RPC with the status of the
HTTP API: its `data` is the content of the envelope, `{code, message, details, requestId}`. While the service restarts,
stdio answers tool calls with `unavailable`, `details.retryAfter` and a sentence, and works again by itself.

If the client supports elicitation (forms), `ask` shows the question to the person at the client at once and returns the
answer. This requires protocol version 2026-07-28 (the call returns `input_required`, and is made again), or stdio with
any version, since an older client has no session over HTTP in which it could announce its support. If that person
declines, cancels or does not answer, the question stays open for the people on the board. The claim is kept while the
form is open.

The response to `initialize` has a random `Mcp-Session-Id`, which names the session of the agent unless the request has
`X-Agent-Session`. Any name is accepted, and none is stored except with a claim. The bridge on stdio is a session by
itself; it calls `whoami` in time, so that the claims of its client live on while it runs.

The prompt library is available as MCP prompts, and the active cards as resources, `tandem://cards/REL-12`.

Requests with a host name that is neither local nor that of `public_url` are refused (421), since a web page could
resolve its own name to this address (DNS rebinding). Plain IP addresses are accepted.

The tools: `ask`, `attach_file`, `claim`, `claim_next`, `comment`, `create_card`, `get_board`, `get_card`, `get_file`,
`get_prompt`, `history`, `inbox`, `list_cards`, `list_mcp_servers`, `move_card`, `register`, `relate`, `release`,
`request_move`, `search`, `split_card`, `update_card`, `wait_for_changes`, `whoami`.

`/mcp?toolset=core` (the bridge: `--toolset core`) lists only what an agent needs for its loop, in fewer tokens:
`claim_next`, `get_card`, `update_card`, `move_card`, `comment`, `ask`, `request_move`, `release`, `inbox`. The default
is `full`; another name is 400 `validation_failed`. A toolset limits only the list: every tool can be called.

These tools are not listed any more. They answer until version 0.4, with `deprecated` as the first key of each result
and error:

| Tool | Replaced by |
|---|---|
| `context` | `get_card` |
| `reply` | `comment` with `replyTo` |
| `renew` | any call of the session |
| `unrelate` | `relate` with `remove: true` |
| `withdraw_request` | `request_move` with `withdraw: true` |
| `list_prompts` | `whoami` with `show: "prompts"` |
| `list_people` | `whoami` with `show: "people"` |

`set_online` and `set_offline` are not listed, but answer as before. Any call of an approved agent makes it online.
"""

# In the order of the reference.
CHAPTERS = (
    ("Conventions", CONVENTIONS),
    ("Signing in", SIGNING_IN),
    ("Versions", VERSIONS),
    ("Retries", RETRIES),
    ("Limits", LIMITS),
    ("Bounds", BOUNDS),
    ("The tool server", TOOL_SERVER),
)


def describe_api() -> str:
    """Return the description of the API: its chapters, and the table of its errors."""
    chapters = "".join(f"\n\n## {title}\n\n{text.strip()}" for title, text in CHAPTERS)
    rows = (
        f"| {status} | `{code}` | {what} |" for status, codes in ERROR_MEANINGS.items() for code, what in codes.items()
    )
    return INTRODUCTION + chapters + "\n\n## Errors\n\n| Status | Code | Meaning |\n|---|---|---|\n" + "\n".join(rows)
