"""Values of settings: what each kind allows; every ValueError says it."""

import ipaddress
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

# Paths of the service: a base path that begins with one of them could not be told from it. The others are in web/.
_OWN_PATHS = {"api", "mcp", "healthz", "readyz", "metrics"}
_WEB_FOLDER = Path(__file__).parent / "web"
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_BASE_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_duration(value: Any) -> Any:
    """Return the seconds of a duration like 90, 30m, 12h or 7d; raise ValueError for anything else."""
    match = re.fullmatch(r"([0-9]{1,9})([smhd]?)", str(value).strip().lower())
    if not match:
        raise ValueError("must be a number of seconds, or like 30m, 12h, 7d")
    return int(match[1]) * _UNITS[match[2]]


def parse_networks(value: Any) -> Any:
    """Return networks from a list, or from a text with commas; raise ValueError for an invalid or empty entry."""
    names = value.split(",") if isinstance(value, str) and value.strip() else value or ()
    try:
        if not isinstance(names, list | tuple):
            raise TypeError
        return tuple(ipaddress.ip_network(str(name).strip(), strict=False) for name in names)
    except (TypeError, ValueError):
        raise ValueError("must be addresses or networks without empty entries, for example 10.0.0.0/8, ::1") from None


def blank_is_unset(value: Any) -> Any:
    """Return None for an empty text, which means: not set."""
    return None if value == "" else value


def parse_number(value: Any) -> Any:
    """Return a whole number; raise ValueError for anything else, also for true and 1.0."""
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,18}", str(value).strip()):
        raise ValueError("must be a whole number")
    return int(value)


def parse_boolean(value: Any) -> Any:
    """Return a boolean; raise ValueError for anything but true, false and the other words for them."""
    word = str(value).strip().lower()
    if word not in _BOOLEANS:
        raise ValueError("must be true or false (or yes, no, on, off, 1, 0)")
    return _BOOLEANS[word]


def parse_word(value: Any) -> Any:
    """Return a word of a setting in lower case and without blanks around it."""
    return value.strip().lower() if isinstance(value, str) else value


def check_path(value: Any) -> Any:
    """Return the path of a folder; raise ValueError if it is empty or cannot be meant."""
    text = str(value)
    if not isinstance(value, str | Path) or not text.strip() or text.startswith("~") or not text.isprintable():
        raise ValueError("must be the path of a folder, without ~ and control characters, like /var/lib/tandem")
    return value


def check_time_of_day(value: Any) -> Any:
    """Return a time of day; raise ValueError for anything but hours and minutes like 03:30."""
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", str(value).strip()):
        raise ValueError("must be a time of day with hours and minutes, like 03:30")
    return str(value).strip()


def check_timezone(value: Any) -> Any:
    """Return the name of a time zone; raise ValueError for an unknown one."""
    try:
        return ZoneInfo(str(value).strip()).key
    except (OSError, ValueError, KeyError):  # a folder, no name at all, an unknown one
        raise ValueError("must be the name of a time zone, like UTC or Europe/Berlin") from None


def _is_ip_address(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def check_host(value: Any) -> Any:
    """Return an address to listen on; raise ValueError if it is neither an IP address nor a host name."""
    if not isinstance(value, str) or not (_HOST.fullmatch(value) or _is_ip_address(value)):
        raise ValueError("must be an address or a host name without port, like 127.0.0.1, 0.0.0.0 or ::")
    return value


def parse_public_url(value: Any) -> Any:
    """Return an address without a slash at its end; raise ValueError if people could not reach the service by it."""
    url = _split_url(str(value))
    if not isinstance(value, str) or url is None or "@" in url.netloc or "?" in value or "#" in value:
        raise ValueError("must be like https://board.example.com or https://example.com/tandem, without ? # and @")
    path = url.path.rstrip("/")
    if not _BASE_PATH.fullmatch(path):
        raise ValueError("its path may only have letters, digits, - _ ~ and dots, like https://example.com/tandem")
    if path.split("/")[1:2] and path.split("/")[1] in _OWN_PATHS | set(os.listdir(_WEB_FOLDER)):
        raise ValueError(f"its path begins with /{path.split('/')[1]}, which is a path of the service; choose another")
    return f"{url.scheme}://{url.netloc.lower()}{path}"


def _split_url(text: str) -> SplitResult | None:
    """Return the parts of an address, or None if its scheme, host or port cannot be used."""
    try:
        url = urlsplit(text)
        host, port = url.hostname or "", url.port
    except ValueError:
        return None
    is_usable = url.scheme in ("http", "https") and port != 0 and not url.netloc.endswith(":")
    is_plain = re.fullmatch(r"[!-~]+", text)  # urlsplit removes blanks and line breaks
    return url if is_usable and is_plain and (_HOST.fullmatch(host) or _is_ip_address(host)) else None


def check_cpu_affinity(value: Any) -> Any:
    """Return the setting cpu_affinity; raise ValueError for an unknown one."""
    word = str(parse_word(value))
    if not re.fullmatch(r"auto|off|[0-9]{1,4}", word):
        raise ValueError("must be auto, off or the number of a core")
    return word
