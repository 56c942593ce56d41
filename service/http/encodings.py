"""Negotiation of the content encoding of a response."""

import re

_WEIGHT = re.compile(r"q\s*=\s*([01](?:\.[0-9]*)?)")


def list_accepted_encodings(accept_encoding: str, available: tuple[str, ...]) -> list[str]:
    """List the available encodings that an Accept-Encoding header accepts (RFC 9110, section 12.5.3).

    Sorted by descending weight, then by the order in which they are available.
    """
    weights = {"*": 0.0}
    for coding in accept_encoding.lower().split(","):
        name, _, weight = coding.partition(";")
        found = _WEIGHT.fullmatch(weight.strip())
        weights[name.strip().removeprefix("x-")] = float(found[1]) if found else 1.0
    accepted = {name: weights.get(name, weights["*"]) for name in available}
    return sorted((name for name in available if accepted[name] > 0), key=lambda name: -accepted[name])
