"""Tests of the service and its page.

All that they start, and each worker of them, would compile the whole program again if nobody kept what was compiled.
"""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
