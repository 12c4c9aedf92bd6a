"""Faults that a test orders by writing a file into the state folder's inject/. Read anew each time; absent is none."""
import os


def words(name):
    """The whitespace-separated words of inject/<name>, as a set."""
    try:
        with open(os.path.join(os.environ['DEVCLOUD_STATE'], 'inject', name)) as f:
            return set(f.read().split())
    except OSError:
        return set()


def seconds(name):
    """The number in inject/<name>, or 0."""
    try:
        return float(next(iter(words(name)), 0))
    except ValueError:
        return 0.0
