"""In which encodings a client takes an answer."""

import re

_WEIGHT = re.compile(r"q\s*=\s*([01](?:\.[0-9]*)?)")


def encodings(accepted: str, offered: tuple[str, ...]) -> list[str]:
    """List which of the offered encodings a client takes by its Accept-Encoding (RFC 9110, section 12.5.3).

    The one that it likes best comes first, and among equals the one that was offered first.
    """
    weights = {"*": 0.0}
    for coding in accepted.lower().split(","):
        name, _, weight = coding.partition(";")
        found = _WEIGHT.fullmatch(weight.strip())
        weights[name.strip().removeprefix("x-")] = float(found[1]) if found else 1.0
    taken = {name: weights.get(name, weights["*"]) for name in offered}
    return sorted((name for name in offered if taken[name] > 0), key=lambda name: -taken[name])
