"""The web page over HTTP: its files, their policy, and every address that is the page's own."""

import asyncio
import gzip
import re
from collections.abc import Iterable
from typing import Any

import brotli
import orjson
import pytest

from service.http import static_files

from ..page_modules import PAGE_MODULES, with_imports
from ..world import World

SOURCES = sorted(
    path.relative_to(static_files.FOLDER).as_posix() for path in static_files.FOLDER.rglob("*") if path.is_file()
)
SHEETS = [file for file in SOURCES if file.endswith(".css")]
JOINED = [file for file in SHEETS if file not in static_files.OTHER_SHEETS]
FILES = sorted([*static_files.JOINED_SHEETS, *(file for file in SOURCES if file not in JOINED)])  # as they are served
KINDS = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}


async def fetch(world: World, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes, Any]:
    """Ask for something outside the API: status, body as it came, headers."""
    http = world.nobody.http
    async with http.request(method, world.url + path, headers=headers, auto_decompress=False) as response:
        return response.status, await response.read(), response.headers


def text(file: str) -> str:
    """Return what a file is made of, comments and all."""
    sources = static_files.JOINED_SHEETS.get(file, (file,))
    return "".join((static_files.FOLDER / source).read_text("utf-8") for source in sources)


def test_every_style_sheet_goes_out_with_the_others() -> None:
    assert sorted(name for names in static_files.JOINED_SHEETS.values() for name in names) == JOINED
    assert set(static_files.OTHER_SHEETS) < set(SHEETS)


def test_a_class_means_the_same_in_all_style_sheets() -> None:
    homes: dict[str, set[str]] = {}
    for sheet in SHEETS:
        rules = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", static_files.MINIFY[".css"](text(sheet)))
        for selector in re.findall(r"(?:^|[},])(\.[\w-]+)(?=[{,])", rules):
            homes.setdefault(selector, set()).add(sheet)
    assert len(homes) > 100
    assert {selector: sheets for selector, sheets in homes.items() if len(sheets) > 1} == {}


async def test_every_file_is_served_as_what_it_is_under_the_policy(world: World) -> None:
    assert len(FILES) > 10
    for file in FILES:
        status, body, headers = await fetch(world, f"/{file}", **{"Accept-Encoding": "identity"})
        assert status == 200
        assert body == served(file)
        assert headers["Content-Type"].partition(";")[0] == KINDS[file.rpartition(".")[2]]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-cache"
        if file.endswith((".js", ".css")):
            assert headers["Content-Security-Policy"] == "default-src 'none'"
        else:
            assert headers["Content-Security-Policy"] == static_files.CONTENT_SECURITY_POLICY
            assert headers["Referrer-Policy"] == "same-origin"
            assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_policy_takes_nothing_from_elsewhere_and_no_text_as_script() -> None:
    rules = dict(rule.split(" ", 1) for rule in static_files.CONTENT_SECURITY_POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["trusted-types"] == "'none'"
    assert "unsafe" not in static_files.CONTENT_SECURITY_POLICY


def served(file: str) -> bytes:
    """Return what a file is without what is only for its readers."""
    return static_files.MINIFY.get(file[file.rindex(".") :], str)(text(file)).encode()


def test_what_is_served_has_every_name_and_no_comment() -> None:
    for file in (file for file in FILES if file.endswith((".js", ".css"))):
        code = re.sub(r"/\*[^*]*\*+(?:[^*/][^*]*\*+)*/|(?<![:\"'/\\])//(?![/\"]).*", "", text(file))
        assert re.findall(r"[\w$]+", served(file).decode()) == re.findall(r"[\w$]+", code), file


async def fetch_compressed(world: World, path: str) -> tuple[bytes, Any]:
    """Fetch something as a browser does, once the service has packed it as well as it can."""
    for _ in range(600):
        _, body, headers = await fetch(world, path, **{"Accept-Encoding": "gzip, deflate, br, zstd"})
        if headers["Content-Encoding"] == "br":
            return body, headers
        await asyncio.sleep(0.05)
    raise AssertionError(f"never packed with brotli: {path}")


async def test_each_encoding_has_the_same_content_and_a_tag_of_its_own(world: World) -> None:
    small, headers = await fetch_compressed(world, "/main.js")
    assert brotli.decompress(small) == served("main.js")
    tags = {headers["ETag"]}
    for encoding, unpacked in (("gzip", gzip.decompress), ("identity", bytes)):
        _, body, headers = await fetch(world, "/main.js", **{"Accept-Encoding": encoding})
        assert unpacked(body) == served("main.js")
        assert headers.get("Content-Encoding", "identity") == encoding
        assert headers["Vary"] == "Accept-Encoding"
        tags.add(headers["ETag"])
    assert len(tags) == 3


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("br;q=0.5, GZIP", "gzip"),
        ("gzip, br;q=0", "gzip"),
        ("x-gzip;q=0.1", "gzip"),
        ("*", "br"),
        ("*;q=0.2, gzip;q=0", "br"),
        ("identity, br;q=0.9", None),
        ("gzip;q=0.000, deflate", None),
        ("*;q=0", None),
        ("", None),
    ],
)
async def test_a_file_is_sent_in_the_encoding_that_the_client_prefers(
    world: World, accepted: str, encoding: str | None
) -> None:
    await fetch_compressed(world, "/main.js")
    _, _, headers = await fetch(world, "/main.js", **{"Accept-Encoding": accepted})
    assert headers.get("Content-Encoding") == encoding


async def test_a_client_that_has_a_file_in_an_accepted_encoding_gets_304(world: World) -> None:
    _, _, headers = await fetch(world, "/main.js", **{"Accept-Encoding": "gzip"})
    both = {"Accept-Encoding": "gzip, br", "If-None-Match": headers["ETag"]}
    status, _, again = await fetch(world, "/main.js", **both)
    assert (status, again["ETag"]) == (304, headers["ETag"])
    only = {"Accept-Encoding": "br", "If-None-Match": headers["ETag"]}
    assert (await fetch(world, "/main.js", **only))[0] == 200


async def test_a_file_that_is_known_already_is_not_sent_again(world: World) -> None:
    _, _, headers = await fetch(world, "/main.js")
    status, body, again = await fetch(world, "/main.js", **{"If-None-Match": headers["ETag"]})
    assert (status, body) == (304, b"")
    assert again["ETag"] == headers["ETag"]
    assert again["Content-Security-Policy"] == "default-src 'none'"
    assert (await fetch(world, "/main.js", **{"If-None-Match": '"another"'}))[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/b/proj_1/c/REL-12?q=x", "/sign-in", "/nothing", "/apiary", "/agents/bot.v2", "/b/P.1/c/P.1-2"]
)
async def test_every_other_address_is_one_of_the_page_s_own(world: World, path: str) -> None:
    status, body, headers = await fetch(world, path, **{"Accept-Encoding": "identity"})
    assert status == 200
    assert body == (static_files.FOLDER / "index.html").read_bytes()
    assert headers["Content-Security-Policy"] == static_files.CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("path", ["/api", "/api/v1/nothing", "/api/nothing", "/healthz", "/readyz/x", "/metrics"])
async def test_what_belongs_to_the_service_is_never_the_page(world: World, path: str) -> None:
    _, body, _ = await fetch(world, path)
    assert b"<!doctype" not in body


@pytest.mark.parametrize(
    "path",
    [
        *("/robots.txt", "/favicon.ico", "/core/base.css", "/core/gone.js", "/sw.js", "/manifest.json", "/.env"),
        *("/..%2f..%2frun.py", "/.well-known/security.txt", "/mcp/x", "/metrics/x", "/api/"),
    ],
)
async def test_a_program_that_asks_for_a_missing_file_gets_404_in_json(world: World, path: str) -> None:
    status, body, headers = await fetch(world, path, Accept="*/*")
    assert (status, headers["Content-Type"]) == (404, "application/json; charset=utf-8")
    assert orjson.loads(body)["error"]["code"] == "not_found"


async def test_the_page_is_only_read(world: World) -> None:
    status, body, headers = await fetch(world, "/", "HEAD")
    assert (status, body) == (200, b"")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    for path in ("/", "/main.js"):
        status, body, headers = await fetch(world, path, "POST")
        assert status == 405
        assert b"method_not_allowed" in body
        assert headers["Allow"] == "GET,HEAD"


async def test_whoever_sends_something_to_an_address_of_the_page_is_told_that_it_is_no_route(world: World) -> None:
    status, body, _ = await fetch(world, "/elsewhere/mcp", "POST")
    assert status == 404
    assert b"no such route" in body


async def test_the_page_asks_for_nothing_that_is_not_there_and_for_nothing_elsewhere() -> None:
    asked = list(re.findall(r'(?:href|src)="([^"]+)"', text(static_files.INDEX)))
    assert asked
    assert {address.removeprefix("/") for address in asked} <= set(FILES)
    for file in FILES:
        found = re.findall(r"https?://[^\s\"'`)]+", text(file))
        assert set(found) <= {"http://www.w3.org/2000/svg"}, file


async def weigh(world: World, paths: Iterable[str]) -> int:
    """Return the size of files as a browser gets them, with their headers."""
    size = 0
    for path in paths:
        body, headers = await fetch_compressed(world, f"/{path}")
        size += len(body) + sum(len(f"{name}: {value}\r\n") for name, value in headers.items())
    return size


@pytest.mark.slow
async def test_the_first_screen_with_its_headers_and_each_further_one_are_light(world: World) -> None:
    preloaded = with_imports({"main.js", "board/page.js"})
    asked = {"", *re.findall(r'(?:href|src)="/([^"]+)"', (static_files.FOLDER / "index.html").read_text("utf-8"))}
    assert await weigh(world, asked) <= 81_920
    others = {f"{found}.js" for found in re.findall(r'import\("\./([\w/-]+)\.js"\)', PAGE_MODULES["main.js"])}
    assert len(others) > 10
    for page in others:
        assert await weigh(world, with_imports({page}) - preloaded) <= 40_960, page


async def test_the_first_screen_as_a_browser_gets_it_is_light(world: World) -> None:
    asked = {"", *re.findall(r'(?:href|src)="/([^"]+)"', (static_files.FOLDER / "index.html").read_text("utf-8"))}
    sizes = {path: len((await fetch_compressed(world, f"/{path}"))[0]) for path in asked}
    assert sum(sizes.values()) <= 60 << 10, sizes
