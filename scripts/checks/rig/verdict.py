"""One line a check: `PASS name: figure` or `FAIL name: what was seen`. scripts/test counts these lines."""

import sys
import traceback


class Failed(Exception):
    """The checked statement does not hold; the text says what was seen instead."""


class Verdicts:
    """Collects and prints the verdicts of one script; `exit()` is 1 when any failed, or when there were none."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def note(self, ok, what, figure):
        print(f"{'PASS' if ok else 'FAIL'} {self.name} {what}: {figure}", flush=True)
        if ok:
            self.passed += 1
        else:
            self.failed += 1

    def check(self, what, body):
        """Runs `body`, which returns the figure to print, or raises Failed; any other exception fails too."""
        try:
            self.note(True, what, body())
        except Failed as why:
            self.note(False, what, why)
        except Exception as why:  # a broken check must not look like a passed one
            traceback.print_exc(limit=4, file=sys.stderr)
            self.note(False, what, f"{type(why).__name__}: {why}")

    def exit(self):
        sys.exit(0 if self.passed and not self.failed else 1)


def expect(holds, otherwise):
    if not holds:
        raise Failed(otherwise)
