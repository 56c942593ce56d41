"""A short run of what `python -m tests.fuzz` does at length: no answer is a failure, or one that is not described."""

import asyncio
from pathlib import Path

import pytest

from service.auth.authentication import API_KEY, JWT

from . import fuzz

pytestmark = pytest.mark.slow

CASES = 150


@pytest.mark.parametrize("scheme", [JWT, API_KEY])
def test_whatever_the_document_allows_or_forbids_is_answered_as_it_says(tmp_path: Path, scheme: str) -> None:
    with fuzz.service(tmp_path) as process:
        who, ids = asyncio.run(fuzz.prepared(process.url))[scheme]
        found = fuzz.fuzz(process.url, scheme, who, ids, CASES)
    assert found.wrong == {}
    assert found.cases >= CASES * 0.9
    assert found.statuses[200] > CASES * 0.1


@pytest.mark.parametrize("scheme", [JWT, API_KEY])
def test_the_fuzzer_calls_destructive_operations_last(tmp_path: Path, scheme: str) -> None:
    with fuzz.service(tmp_path) as process:
        names = [f"{one.method.upper()} {one.path}" for one in fuzz.operations(fuzz.document_of(process.url), scheme)]
    harm = [
        3 if name in fuzz.LAST else 2 if name.startswith("DELETE") else 1 if name in fuzz.DESTRUCTIVE else 0
        for name in names
    ]
    assert harm == sorted(harm)
    assert {0, 1, 2} <= {*harm}
