#!/usr/bin/env python3
"""Run Tandem: `python run.py` serves; `python run.py --help` lists the commands."""

import sys

from service.cli import main

if __name__ == "__main__":
    sys.exit(main())
