# ruff: noqa: RUF001
"""Pairs of texts that the service and the page have to compare with the same result."""

EQUAL = [
    ("Café", "CAFE\u0301"),
    ("Łódź", "lodz"),
    ("Straße", "STRASSE"),
    ("ẞ", "ss"),
    ("Æon", "aeon"),
    ("Œuvre", "oeuvre"),
    ("Ørsted", "orsted"),
    ("Đà Nẵng", "da nang"),
    ("ISPARTA", "ısparta"),
    ("İzmir", "izmir"),
    ("ﬁne", "FINE"),
    ("Ｆｕｌｌ", "full"),
    ("ΟΔΟΣ", "οδός"),
    ("ᾳ", "ΑΙ"),
    ("שָׁלוֹם", "שלום"),
    ("كِتَاب", "كتاب"),
    ("ёлка", "ЕЛКА"),
    ("Ꭰ", "ꭰ"),
    ("Й", "и\u0306"),
]
DIFFERENT = [("мой", "мои"), ("їжак", "іжак"), ("ў", "у"), ("ガ", "カ"), ("C", "C#"), ("Todo", "To do"), ("ก่", "ก")]
EQUAL_NAMES = [("In Progress", "in_progress"), ("in - progress", " IN\u00a0PROGRESS "), ("a__b", "a b")]
EQUAL_NAMES_ONLY = EQUAL_NAMES[:1]  # which are different texts
