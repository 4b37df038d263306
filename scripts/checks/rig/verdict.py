"""One line a check: `PASS name: figure` or `FAIL name: what was seen`. scripts/test counts these lines.

No check judges the machine. A check asks what also holds where the machine is slow or stands still for a while: that
something ends at all, that sound is back, that books agree. How long it takes is told beside, and judged by scripts/measure.
"""

import concurrent.futures
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn

from .stillness import Stillness, processor_time

# Figures of sound or delay that fail are made again once, alone, and once more where the machine was seen to stand still, or
# where nobody may look whether it does.
TRIES = 2
TRIES_IN_UNREST = 3
# Nothing that ends or begins by itself takes so long, however slow the machine is, unless it hangs.
PATIENCE_S = 60.0


# What is stated, and the body that judges it: it returns the figure to print.
Statement = tuple[str, Callable[[], str]]


class Failed(Exception):
    """The checked statement does not hold; the text says what was seen instead."""


class Uneven(Failed):
    """A figure of sound or delay is out of bounds, as it also is where the machine stands still."""


class Verdicts:
    """Collects and prints the verdicts of one script; `exit()` is 1 when any failed, or when there were none."""

    def __init__(self, name: str) -> None:
        self.name, self.passed, self.failed = name, 0, 0
        self.counting = threading.Lock()
        self.stillness = Stillness()

    def check(self, what: str, body: Callable[[], str]) -> None:
        """Runs `body`, which returns the figure to print, or raises Failed; any other exception fails too."""
        self.check_all(lambda: [(what, body)])

    def check_all(self, statements: Callable[[], Iterable[Statement]]) -> None:
        """Runs the bodies of the (what, body) pairs that `statements()` gives, perhaps by turns with what they judge.

        Where figures of sound or delay alone fail (`Uneven`), all are made again, by the same measure, and what was seen of
        the machine is told. Nothing excuses a crash, a wrong exit code or a missing report."""
        for attempt in range(1, TRIES_IN_UNREST + 1):
            began, before = time.monotonic(), processor_time()
            results = [(what, outcome(body)) for what, body in statements()]
            failed = [(what, why) for what, (why, _) in results if why]
            may_repeat = failed and all(isinstance(cause, Uneven) for _, cause in failed)
            if not may_repeat or attempt == TRIES_IN_UNREST:
                break
            seen = self.stillness.unrest(began, before)
            if attempt >= TRIES and not seen:
                break
            for what, cause in failed:
                print(f"AGAIN {self.name} {what}: {cause}; {seen or 'the machine was quiet'}", flush=True)
        for what, (why, figure) in results:
            said = why or figure
            self.note(not why, what, said if attempt == 1 else f"{said} (attempt {attempt})")

    def check_beside(self, jobs: int, statements: Mapping[str, Callable[[], str]]) -> None:
        """Judges the bodies of `statements`, by what they state, `jobs` at a time; one whose figures of sound or delay fail
        beside others is judged again alone."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            outcomes = dict(zip(statements, pool.map(outcome, statements.values()), strict=True))
        for what, (why, figure) in outcomes.items():
            if isinstance(why, Uneven):
                print(f"AGAIN {self.name} {what}: {why}; beside others", flush=True)
                self.check(what, statements[what])
            else:
                self.note(not why, what, why or figure)

    def note(self, ok: bool, what: str, figure: object) -> None:
        with self.counting:
            print(f"{'PASS' if ok else 'FAIL'} {self.name} {what}: {figure}", flush=True)
            if ok:
                self.passed += 1
            else:
                self.failed += 1

    def exit(self) -> NoReturn:
        sys.exit(0 if self.passed and not self.failed else 1)


def outcome(body: Callable[[], str]) -> tuple[Failed | None, str | None]:
    """Why what `body` states does not hold (None where it does), and the figure."""
    try:
        return None, body()
    except Failed as why:
        return why, None
    except Exception as why:  # a broken check must not look like a passed one
        traceback.print_exc(limit=4, file=sys.stderr)
        return Failed(f"{type(why).__name__}: {why}"), None


def until(what: str, holds: Callable[[], object], why: Callable[[], str] = lambda: "") -> None:
    """Waits until that holds; a check waits for an event and never for a time in which it should have come."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        expect(time.monotonic() < deadline, f"never {what}; {why()}")
        time.sleep(0.05)


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise Failed(otherwise)


def expect_even(holds: object, otherwise: str) -> None:
    """As `expect`, for figures of sound or delay."""
    if not holds:
        raise Uneven(otherwise)
