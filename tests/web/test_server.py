"""The socket that answers go through."""

import asyncio
import socket

from saffa.web.server import Address, _socket


def test_an_answer_waits_for_no_acknowledgement() -> None:
    """Head and body of an answer are two packets: without TCP_NODELAY the second waits 40 ms, at every request."""

    async def delays() -> bool:
        seen: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connected = writer.get_extra_info("socket")
            seen.set_result(not connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = _socket(Address(port=0))
        async with await asyncio.start_server(greet, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            found = await seen
            writer.close()
        return found

    assert not asyncio.run(delays())
