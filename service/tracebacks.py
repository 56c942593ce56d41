"""Tracebacks of exceptions that were dealt with."""


def drop_tracebacks(exception: BaseException) -> None:
    """Drop the traceback of an exception, and the exceptions that led to it.

    A traceback keeps the frames that it passed, with the body of the request in their variables; one of these names
    the exception itself, as a rule. Only a garbage collection would free such a cycle, and that comes seldom.
    """
    pending: list[BaseException | None] = [exception]
    while pending:
        if (one := pending.pop()) is None:
            continue
        pending += [one.__context__, one.__cause__]
        if isinstance(one, BaseExceptionGroup):
            pending += one.exceptions
        one.__traceback__ = one.__context__ = one.__cause__ = None
