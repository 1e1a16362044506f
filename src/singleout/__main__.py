"""The start of the command, and `python -m singleout`."""

import signal

__all__ = ["run"]


def run() -> None:
    """Load the command line and run it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # while modules are loaded there is nothing to clear up, and a traceback would help nobody
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from singleout.cli.main import run as run_command

    run_command()


if __name__ == "__main__":
    run()
