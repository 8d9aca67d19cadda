"""An event loop for code that uses asyncio. There are no sockets and no threads, so time is all it waits for."""

import asyncio.base_events
import asyncio.events
import time


class Clock:
    """In the place of a selector."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("Deadlock: no task is ready and no timer is set.")
        time.sleep(timeout)
        return []


class EventLoop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Clock()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class EventLoopPolicy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = EventLoop
