"""Work in a Python process of its own, for what would disturb this one: signals, limits, crashes."""

import os
import subprocess
import sys
import textwrap


def script(head, body, timeout, **env):
    """Runs two pieces of code, which must end well; what they printed."""
    run = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(body)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
