"""Fails where a test was skipped for a reason that is not allowed.

    python .ci/skips.py RESULTS.xml [REASON ...]

RESULTS.xml is what pytest --junitxml has written; a REASON is a part of the message that says why a
test was skipped. How many were skipped for each reason is told.
"""

import sys
import xml.etree.ElementTree as xml
from collections import Counter


def skipped_in(path):
    """Name and reason of each test that was skipped, and how many tests there are in all."""
    cases = list(xml.parse(path).iter("testcase"))
    found = [(case.get("name"), case.find("skipped")) for case in cases]
    return [(name, skip.get("message")) for name, skip in found if skip is not None], len(cases)


def main(path, *allowed):
    skipped, count = skipped_in(path)
    for reason, times in sorted(Counter(reason for _, reason in skipped).items()):
        print(f"{times} skipped: {reason}")
    bad = [f"{name}: {reason}" for name, reason in skipped
           if not any(part in reason for part in allowed)]  # fmt: skip
    print(f"{count} tests, {len(skipped)} skipped")
    if not count:
        sys.exit("no test ran")
    if bad:
        sys.exit("\n".join(["skipped, for a reason that is not allowed:", *bad]))


if __name__ == "__main__":
    main(*sys.argv[1:])
