"""Cases of one script that run beside each other, each with a folder and ports of its own."""

import argparse
from collections.abc import Callable, Mapping

from .endpoint import free_ports
from .folder import case_folder
from .verdict import Verdicts


def case_options(description: str | None) -> argparse.ArgumentParser:
    """Options of a script that has such cases."""
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=description)
    parser.add_argument("--only", help="one case by its name")
    parser.add_argument("--keep", help="keep recordings and logs here")
    return parser


def check_cases(
    verdicts: Verdicts, cases: Mapping[str, Callable[..., str]], given: argparse.Namespace, *, jobs: int, ports: int = 100
) -> None:
    """Judges those of `cases` that were asked for, `jobs` at a time: each is called with a `folder`, and with a `port` that is the first of
    so many `ports`."""

    def whole(name: str, body: Callable[..., str]) -> Callable[[], str]:
        def run() -> str:
            with case_folder(verdicts.name, name, given.keep) as folder:
                return body(folder=folder, port=free_ports(1, step=ports))

        return run

    chosen = {name: whole(name, body) for name, body in cases.items() if given.only in (None, name)}
    verdicts.check_beside(jobs, chosen)
