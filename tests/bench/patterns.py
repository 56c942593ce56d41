"""How long the worst patterns that are accepted take for the longest text that they look through.

python -m tests.bench.patterns
"""

import random
import time
from collections.abc import Iterator

from service.domain import patterns
from service.errors import BadRequest

from . import yardstick

BOUND_MILLISECONDS, CHARACTERS = 20, 100_000
PATTERNS = [
    "[ab]*a[ab]{9}", "[ab]*a[ab]{20}", "[ab]*a[ab]{100}c", "(a{1,50}){1,15}b", ".{0,900}z{3}q", ".{500}$", "(?s).{600}",
    "(?:a?){1000}", "(?:(?:a?){30}){33}", "(?:(?:a?){16}){150}b", r"[\w.+-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63})",
    r"\p{L}{3}\d\p{L}q", r"\p{L}{2,50}", r"(?i)(\pL|\pN){2}q", "(.*a.*b.*c.*d){5}q", "a.{10}b.{10}c", "(x+x+)+y", "^#",
    "(?:a|b|c|d|e|f|g|h)(?:.{1,12}(?:a|b|d)){6}q", r"(?:\b|^|$|a|\B){200}", "(a|b|ab)*c{30}", "([ab]{1,9}a){90}",
]  # fmt: skip


def texts(count: int) -> Iterator[str]:
    """Return texts of so many bytes: of one letter, of two at random, of all kinds."""
    chance = random.Random(1)  # noqa: S311
    yield "a" * count
    yield "".join(chance.choices("ab", k=count))
    yield "".join(chance.choices("abcdefghij @.-_0123", k=count))
    yield ("😀" * count)[: count // 4]
    yield "".join(chance.choices("aéж漢😀b", k=count // 3))


def worst(pattern: str) -> tuple[int, float]:
    """Return the longest text that a pattern looks through, in bytes, and the longest time for it in milliseconds."""
    longest = min(4 * CHARACTERS, patterns.get_max_bytes(pattern))
    taken = []
    for text in texts(longest):
        tries = []
        for _ in range(3):
            start = time.perf_counter()
            patterns.find_problem(pattern, text)
            tries.append((time.perf_counter() - start) * 1000)
        taken.append(min(tries))
    return longest, max(taken)


def main() -> bool:
    """Measure each pattern, and tell whether all that are accepted keep the bound."""
    slowest = 0.0
    for pattern in PATTERNS:
        try:
            patterns.check_pattern(pattern)
        except BadRequest as error:
            print(f"{pattern:<52} refused: {error.message[:60]}")
            continue
        longest, taken = worst(pattern)
        slowest = max(slowest, taken)
        print(f"{pattern:<52} {longest:>8,} bytes {taken:6.1f} ms")
    print(f"the worst accepted pattern: {slowest:.1f} ms (bound {BOUND_MILLISECONDS} ms)")
    return slowest < BOUND_MILLISECONDS


if __name__ == "__main__":
    yardstick.numbers(__doc__)
    raise SystemExit(0 if main() else 1)
