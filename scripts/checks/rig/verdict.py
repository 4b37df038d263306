"""One line a check: `PASS name: figure` or `FAIL name: what was seen`. scripts/test counts these lines."""

import sys
import threading
import time
import traceback
from .stillness import Stillness, processor_time

TRIES = 3


class Failed(Exception):
    """The checked statement does not hold; the text says what was seen instead."""


class Uneven(Failed):
    """A figure of sound or delay is out of bounds, as it also is where the machine stands still."""


class Verdicts:
    """Collects and prints the verdicts of one script; `exit()` is 1 when any failed, or when there were none."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0
        self.counting = threading.Lock()
        self.stillness = Stillness()

    def check(self, what, body):
        """Runs `body`, which returns the figure to print, or raises Failed; any other exception fails too."""
        self.check_all(lambda: [(what, body)])

    def check_all(self, statements):
        """Runs the bodies of the (what, body) pairs that `statements()` gives, perhaps by turns with what they judge.

        Where figures of sound or delay alone fail (`Uneven`), and the machine itself was not quiet meanwhile, all are made again,
        by the same measure. No unrest excuses a crash, a wrong exit code or a missing report."""
        for attempt in range(1, TRIES + 1):
            began, before = time.monotonic(), processor_time()
            results = [(what, *outcome(body)) for what, body in statements()]
            failed = [(what, why) for what, why, _ in results if why]
            may_repeat = failed and all(isinstance(why, Uneven) for _, why in failed)
            seen = self.stillness.unrest(began, before) if may_repeat else None
            if attempt == TRIES or not seen:
                break
            for what, why in failed:
                print(f"AGAIN {self.name} {what}: {why}; {seen}", flush=True)
        for what, why, figure in results:
            said = why or figure
            self.note(not why, what, said if attempt == 1 else f"{said} (attempt {attempt})")

    def note(self, ok, what, figure):
        with self.counting:
            print(f"{'PASS' if ok else 'FAIL'} {self.name} {what}: {figure}", flush=True)
            if ok:
                self.passed += 1
            else:
                self.failed += 1

    def exit(self):
        sys.exit(0 if self.passed and not self.failed else 1)


def outcome(body):
    """Why what `body` states does not hold (None where it does), and the figure."""
    try:
        return None, body()
    except Failed as why:
        return why, None
    except Exception as why:  # a broken check must not look like a passed one
        traceback.print_exc(limit=4, file=sys.stderr)
        return Failed(f"{type(why).__name__}: {why}"), None


def expect(holds, otherwise):
    if not holds:
        raise Failed(otherwise)


def expect_even(holds, otherwise):
    """As `expect`, for figures of sound or delay."""
    if not holds:
        raise Uneven(otherwise)
