"""The text of a PDF file that Chromium has printed."""

import re
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"(.*?)>>\s*stream\r?\n(.*)\nendstream", re.DOTALL)


def pages_of(pdf: bytes) -> list[str]:
    """Return the text of each page, without spaces: a PDF places glyphs, and may leave out the space between them."""
    objects = {int(number): body for number, body in OBJECT.findall(pdf)}
    fonts = {
        name: _letters(_stream(objects[int(found[1])]))
        for name, number in set(re.findall(rb"/(F\d+) (\d+) 0 R", pdf))
        if (found := re.search(rb"/ToUnicode (\d+) 0 R", objects[int(number)]))
    }
    pages = [body for body in objects.values() if re.search(rb"/Type /Page\b", body)]
    return [_text(_content(objects, page), fonts) for page in pages]


def _content(objects: dict[int, bytes], page: bytes) -> bytes:
    found = re.search(rb"/Contents (\d+) 0 R", page)
    assert found is not None
    return _stream(objects[int(found[1])])


def _stream(body: bytes) -> bytes:
    found = STREAM.match(body)
    assert found is not None
    return zlib.decompress(found[2]) if b"FlateDecode" in found[1] else found[2]


def _letters(cmap: bytes) -> dict[str, str]:
    """Return the letters of a font by the codes of its glyphs."""
    letters = {}
    for part in re.findall(rb"beginbfchar\n(.*?)endbfchar", cmap, re.DOTALL):
        for code, text in re.findall(r"<(\w+)> <(\w+)>", part.decode()):
            letters[code.upper()] = bytes.fromhex(text).decode("utf-16-be")
    for part in re.findall(rb"beginbfrange\n(.*?)endbfrange", cmap, re.DOTALL):
        for first, last, text in re.findall(r"<(\w+)> <(\w+)> <(\w+)>", part.decode()):
            for offset in range(int(last, 16) - int(first, 16) + 1):
                letters[f"{int(first, 16) + offset:04X}"] = chr(int(text, 16) + offset)
    return letters


def _text(content: bytes, fonts: dict[bytes, dict[str, str]]) -> str:
    letters: dict[str, str] = {}
    found = []
    for font, glyphs in re.findall(rb"/(F\d+) [\d.]+ Tf|<(\w+)>", content):
        letters = fonts.get(font, letters)
        code = glyphs.decode().upper()
        found.append("".join(letters.get(code[at : at + 4], "") for at in range(0, len(code), 4)))
    return re.sub(r"\s", "", "".join(found))
