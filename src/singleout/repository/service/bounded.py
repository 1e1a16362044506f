"""HTTP by a compiled parser, with bounds on what comes before a body, and after it.

The parser itself would collect headers for as long as they come. It needs httptools.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from singleout.repository.service.settings import HEAD_BYTES

__all__ = ["BoundedProtocol"]

_TOO_LONG = "The headers of the request are too long."


class BoundedProtocol(HttpToolsProtocol):
    """A connection that ends once a request on it has too long a head."""

    _head = 0  # bytes of the head of this request
    _unread = 0  # bytes that came since the parser reported anything

    def data_received(self, data: bytes) -> None:
        """Take bytes from the network."""
        self._unread += len(data)
        super().data_received(data)
        if self._unread > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(_TOO_LONG)

    def _report(self, length: int = 0) -> None:
        self._unread = 0
        self._head += length
        if self._head > HEAD_BYTES:
            raise ValueError(_TOO_LONG)  # the parser ends, and the request is answered by 400

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head = 0
        self._report()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._report(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, before the body or after it."""
        self._report(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer."""
        self._report()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body, which the application bounds."""
        self._report()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._report()
        super().on_message_complete()
