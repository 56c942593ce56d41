"""Removal of tracebacks from exceptions that were handled."""


def drop_tracebacks(exception: BaseException) -> None:
    """Remove the traceback of an exception, its cause and its context.

    A traceback references the frames that it passed, whose variables hold the request body and usually the exception
    itself. Such a cycle is freed only by a garbage collection, which is rare.
    """
    pending: list[BaseException | None] = [exception]
    while pending:
        if (current := pending.pop()) is None:
            continue
        pending += [current.__context__, current.__cause__]
        if isinstance(current, BaseExceptionGroup):
            pending += current.exceptions
        current.__traceback__ = current.__context__ = current.__cause__ = None
