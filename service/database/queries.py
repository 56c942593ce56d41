"""The SQL statements: `sql.cards.get` is the statement in sql/cards/get.sql.

mypy reads queries.pyi instead, which says what columns their rows have.
"""

from typing import Any

from .statement import load

sql: Any = load()
