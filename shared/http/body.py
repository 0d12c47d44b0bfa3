"""Reading a response's body up to a limit, decoded as it comes, so that no compressed bomb unfolds."""

import zlib
from collections.abc import AsyncIterable

from shared.http.failures import HttpFailure

_MEMBERS = 16  # gzip streams joined in one body; more are made to keep the decoder busy
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say: with a gzip header


async def read_body(
    chunks: AsyncIterable[bytes], encoding: str, max_bytes: int, *, cut: bool = False
) -> bytes:
    """The decoded body, of at most `max_bytes`; the same limit holds for the bytes on the wire.

    `encoding` is the Content-Encoding: none, identity or gzip. Raises HttpFailure `bad_encoding` for any other,
    for stacked ones and for a broken or cut off stream, `too_large` beyond the limit; with `cut` a longer body is
    read to the limit instead.
    """
    decoder = _decoder(encoding, max_bytes)
    wire = 0
    async for chunk in chunks:
        wire += len(chunk)
        decoder.feed(chunk)
        if wire > max_bytes or decoder.is_over:
            if cut:
                return decoder.beginning()
            raise HttpFailure("too_large", f"more than {max_bytes} bytes")
    return decoder.finish()


def _decoder(encoding: str, max_bytes: int) -> "_Plain":
    named = encoding.strip().lower()
    if named in ("", "identity"):
        return _Plain(max_bytes)
    if named in ("gzip", "x-gzip"):
        return _Gzip(max_bytes)
    raise HttpFailure("bad_encoding", "a content encoding other than gzip")


class _Plain:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._body = bytearray()

    @property
    def is_over(self) -> bool:
        return len(self._body) > self._max_bytes

    def feed(self, chunk: bytes) -> None:
        self._body += chunk

    def beginning(self) -> bytes:
        return bytes(self._body[: self._max_bytes])

    def finish(self) -> bytes:
        return bytes(self._body)


class _Gzip(_Plain):
    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._inflater = zlib.decompressobj(_GZIP)
        self._members = 0

    def feed(self, chunk: bytes) -> None:
        data = chunk
        while data and not self.is_over:
            if self._members == 0 or self._inflater.eof:
                self._members += 1
                self._inflater = zlib.decompressobj(_GZIP)
            if self._members > _MEMBERS:
                raise HttpFailure("bad_encoding", f"more than {_MEMBERS} gzip streams in one body")
            room = self._max_bytes - len(self._body) + 1
            try:
                super().feed(self._inflater.decompress(data, room))
            except zlib.error:
                raise HttpFailure("bad_encoding", "a gzip stream that is broken") from None
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail

    def finish(self) -> bytes:
        if self._members and not self._inflater.eof:
            raise HttpFailure("bad_encoding", "a gzip stream that is cut off", retryable=True)
        return super().finish()
