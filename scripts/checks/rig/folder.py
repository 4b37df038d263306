"""The folder of one case of a check."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case_folder(check: str, case: str = "", keep: str | None = None) -> Iterator[str]:
    """A folder of its own for a case, by its whole path: it goes away with the case, unless all is kept below `keep`."""
    folder = os.path.abspath(os.path.join(keep, case.replace(" ", "-"))) if keep else tempfile.mkdtemp(prefix=f"yodel-{check}-")
    os.makedirs(folder, exist_ok=True)
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
