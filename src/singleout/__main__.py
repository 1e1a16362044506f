"""`python -m singleout` is `singleout`."""

from singleout.cli.main import run

if __name__ == "__main__":
    run()
