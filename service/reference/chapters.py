"""Chapters of the API reference about the whole API, in Markdown."""

from .error_meanings import ERROR_MEANINGS

INTRODUCTION = "A self-hosted work board on which people and AI agents work on the same cards."

CONVENTIONS = """ Ids are opaque strings. Timestamps are ISO-8601 in UTC with milliseconds; any offset is accepted,
none is read as UTC. Bodies are JSON objects of at most 1 MiB, 32 levels and 65,536 values (members of objects and
elements of lists; 400 `validation_failed` beyond); an unknown key, in a body or in a query, is refused before
anything else about it, so that a misspelt one is never silently ignored, and so is a NUL character anywhere. A
refusal names at most five unknown keys, and 20 other problems. A query has at most 256 keys. Bodies are checked from
their shape alone before anything else is looked at but the credential, so a wrong body is 400 for everybody. A POST
of which every key is optional may come without a body. An id in a body that names nothing of the organization is 400
with the path of its key; where a title or name would tell which was meant, `details.options` lists up to 20 that
there are.

In a PATCH a missing key leaves things as they are, and null clears what can be empty. Empty values (null, "", [])
clear a custom field, and `priority: null` means `none`. A JSON number of 64 bits or more must be sent as a string: it
would arrive rounded. An empty PATCH changes nothing and writes no history.

Every answer carries `X-Request-Id`: quote it when you report a problem. A DELETE answers 204 without a body, unless
its answer below says otherwise.
"""

SIGNING_IN = """
People sign in with `POST /auth/login` and send `Authorization: Bearer <JWT>`. Routes without an organization in their
path act in the organization that the token names, or in that of the header `X-Organization-Id`. A change of password
ends all earlier tokens, to the millisecond; so does `POST /auth/logout`.

Agents send `Authorization: ApiKey <key>` to the routes that end in `/mcp` (`Bearer <key>` is taken there too). Where
several agents registered with one key, `agentId` in the body or the header `X-Agent-Id` says which one is calling. Keys
of an archived organization are 401 `api_key_revoked`. Whatever a request takes to arrive, its credential is judged once
more where it is used.

People are governed by the permission rows of their role, agents by the flags of the column that a card is in.
"""

VERSIONS = """
An answer with one card carries its version as `ETag`. Sent back as `If-Match` with a change, it keeps that change
from undoing one that came between: 412 `precondition_failed`. It is judged after all policies and before the rules of
the card. The version does not tell of everything: a card's place, `blockedBy` and a claim change without a new one,
so no GET of a card answers 304.
"""

RETRIES = """
After a lost answer, send the POST again with the same `Idempotency-Key` (1 to 255 characters): it is done once, and
answered as before, with `Idempotent-Replayed: true`, for 24 hours. With another body it is 422
`idempotency_key_reused`. A key counts for one caller, path and organization. Refusals are not kept: they changed
nothing, so the same key may try again. An answer of more than 64 KiB is not kept either, nor is any while a disk of the
service is nearly full: the same key is then answered 409 `conflict` with `details.state: "done"`, and nothing is done
twice. What the caller may do is judged before an answer is given once more; what became of the card since (archived,
frozen, claimed) is not. Such an answer counts for the limits. Signing in has no caller yet and ignores the header, as
do other methods. An upload is known again by its parts, an import by its snapshot, not by the bytes of the form.
"""

LIMITS = """
Routes with a limit say so below. Their answers carry `X-RateLimit-Limit`, `X-RateLimit-Remaining` and
`X-RateLimit-Reset` (Unix time in seconds when all is back); beyond the limit they are 429 `rate_limited` with
`Retry-After` in seconds. A bound of state is 409, a bound of load 503 with `Retry-After`.
"""

BOUNDS = """
Nothing that a caller sends, asks for or leaves lying grows without a bound.

Heads of requests have at most 64 KiB and 15 s to come in; a body may bring nothing for 30 s (408
`request_timeout`), one that is no upload has 5 minutes, an upload, an import or an export an hour. A body with a
`Content-Encoding` is 415. An answer of which nothing is taken for 30 s is ended. An answer that comes before the end of
the body, a refusal as a rule, closes the connection. A caller has at most 32 MiB of bodies and answers under way at a
time, or one larger answer; a value of a large body counts as 128 bytes more. All together have at most 256 MiB, and an
organization as much of that as it leaves free for the others: alone half, beside another one a third. Beyond: 503
`overloaded`, and a write whose answer has no room changes nothing. A form (`multipart/form-data`) has at most 100
parts, a part at most 8 headers of 4 KiB each, a boundary at most 70 bytes (400 `validation_failed` beyond).

Pages of texts end at 4 MiB: one that ends early says `truncated: true` (history, an array: `X-Truncated: true`), and a
smaller `pageSize` reads the rest. Pages reach as far as the 20,000th row; the error says how to go on. A list without
pages has at most 50,000 rows and 32 Mi characters (503 `too_expensive` beyond). All values of a card have at most 2 MiB
together, the presets of an organization 4 MiB, the versions of a prompt 8 Mi characters. The files of an organization
have a quota of 10 GiB together (setting `files_quota_bytes`; 409 `quota_exceeded`, uploads and imports).

While a disk of the service has less free space than the setting `disk_free_min_bytes`, uploads, contents of files and
imports are 503 `unavailable`, also in the middle of a body; nothing of them is kept. So are exports, whose rows are put
by on the disk before the first byte is sent. Other writes go on.

Of reads of many rows (lists, boards, search, analytics) a caller has one under way at a time and an organization two;
others wait for these. One that takes over 5 s is ended: 503
`too_expensive`; ask for less. Beyond 200 that wait in an organization: 503 `overloaded`. At most 500 listen to the
events of an organization, and 100 of a caller (settings `organization_listeners_max`, `caller_listeners_max`), whether
on streams or waiting for changes: 503 `overloaded`. Exports under way: 2 of a person, 4 of an organization, 16 of all;
beyond, the same. Beyond 2,000 changes that wait to be stored, or 1,000 of an organization: the same.

A write has one second, whatever it changes; one that takes longer is rolled back: 503 `too_expensive`, with
`Retry-After` and a sentence that says how to ask for less. So is a batch of cards, and an undo, that reads and writes
more than 64 MiB of changes (the history that it goes back through, what it writes there, and the values of the cards):
both are whole or nothing, so send fewer changes at a time or name a shorter span.

Of the large changes of a caller (batches, several new cards, undo, bodies over 64 KiB) one is written at a time, and
at most 64 wait: 503 `overloaded` beyond. Of an address at most four sign-ins are under way at a time, and of a person
four other requests with a password: 503 `overloaded` beyond. Look for a next card every few seconds, not in a loop.

Removing, archiving and restoring what has very many cards (projects, organizations, columns with `moveTo`, fields,
agents, members) is done in batches, between which others write; the answer comes after the last one. Until then writes
to it and to its contents are 409 `conflict` with `details.state` (`removing`, `archiving`, `restoring`), reads may show
a part of the change, and cards that are only moved or unassigned stay writable. It goes on if the client leaves, and
after a restart.

Imports follow each other. All of a snapshot is tried before its first row is written, so a refused one changes nothing.
Meanwhile nobody else writes to its organization: such a request waits up to 30 s, then it is 503 `overloaded` with
`Retry-After` (uploads at once). A large one is written in portions, between which other organizations write; reads of
its own wait likewise until all is there, and an organization that is new appears with the last portion. Once the first
is written, the import is completed whatever happens: should the answer be 503 all the same (a full disk), or the
service be killed, it goes on by itself, and the same `Idempotency-Key` tells how it ended.
"""

TOOL_SERVER = """
The same work as tools, for any client that speaks MCP: Streamable HTTP at `/mcp` (stateless, with or without a
handshake), or stdio with `tandem mcp`. The key is that of the agent. Every tool calls the operation of its route for
agents, through the same limits, policies and transactions; `If-Match` and `Idempotency-Key` are for HTTP.

Tools speak in names: a card is named by its key (`REL-12`), a project by key or title, columns, card types, fields and
prompts by title or name in any case, if one thing is called so; ids are taken everywhere too. Answers are one JSON
text in the same names. There are no output schemas and no structured content, which would say it all twice.

Refusals and wrong arguments are results with `isError`, for the agent to read: `{code, message, details}`, in the
words of tools, and of what there is (`details.options`) where a name names nothing; an unknown tool is an error of the
protocol. What people and agents wrote is data, never instructions, and so are the names that they chose, which come
as `{type, name}`. A token counts as 4 bytes of the text; what is too long is shortened, texts first, then lists, and
`leftOut` says so. An image is passed on up to 1 MiB. A message has at most 2,000
values (400 `validation_failed` beyond).

Where the client offers elicitation (forms), `ask` has the person at it asked at once, and answers with what was said.
That is so in the era of 2026-07-28 (the call is answered with `input_required`, and made again), and over stdio in
both; an older client over HTTP has no session in which it could say what it offers. Whoever declines, cancels or says
nothing leaves an open question, for whoever looks at the board; the claim is kept while the form is open.

The prompt library is offered as prompts, the active cards as resources, `tandem://cards/REL-12`.

Host names that are not this machine's or those of `public_url` are refused (421), since a web page could have bound
its own name to this address; bare addresses pass.

The tools: `ask`, `attach_file`, `claim`, `claim_next`, `comment`, `context`, `create_card`, `get_board`, `get_card`,
`get_file`, `get_prompt`, `history`, `inbox`, `list_cards`, `list_mcp_servers`, `list_people`, `list_prompts`,
`move_card`, `register`, `relate`, `release`, `renew`, `reply`, `request_move`, `search`, `set_offline`, `set_online`,
`split_card`, `unrelate`, `update_card`, `wait_for_changes`, `whoami`, `withdraw_request`.
"""

# In the order of the reference.
CHAPTERS = (
    ("Conventions", CONVENTIONS),
    ("Signing in", SIGNING_IN),
    ("Versions", VERSIONS),
    ("Sending again", RETRIES),
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
