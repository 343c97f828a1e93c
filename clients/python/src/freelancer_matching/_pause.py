"""Waiting, for both clients."""

from time import sleep as pause

from anyio import sleep as async_pause

__all__ = ["async_pause", "pause"]
