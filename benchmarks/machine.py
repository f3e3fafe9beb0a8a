"""How long asking takes beside what the endpoint itself allows, and how much memory.

    python -m benchmarks.machine [--items 10000] [--threads 16] [--milliseconds 50]

A server of its own process answers every call after so many milliseconds, on loopback. Asked through the
ledger as a job asks: a row for each call before it is sent, replies and prices stored, a budget, on a new
SQLite file. Ideal: items × milliseconds / threads. Bars: 1.2 times that, 300 MB.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

REPLY = json.dumps(
    {
        "model": "stub",
        "choices": [{"message": {"content": '{"grade": 3}'}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 8},
    }
).encode()
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(REPLY)}\r\n\r\n".encode()
PASSAGE = "The boat left at dawn, and nobody on the quay looked up from the nets. " * 20


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Answer the calls of one connection."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n")[0]))
            await asyncio.sleep(seconds)
            writer.write(HEAD + REPLY)
    writer.close()


async def serve(seconds: float) -> None:
    """Serve until the process ends; print the port first."""
    server = await asyncio.start_server(lambda r, w: answer(r, w, seconds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def ask(port: int, items: int, threads: int) -> float:
    """Ask so many different things, and return the seconds that took."""
    from common.chat import SYSTEM, USER, Message, Request
    from machines.client.endpoint import Endpoint, Prices
    from machines.ledger import Asking
    from machines.models import Budget, Call

    schema = {"type": "object", "properties": {"grade": {"type": "integer", "enum": [0, 1, 2, 3, 4]}}}
    endpoint = Endpoint(
        "stub", url=f"http://127.0.0.1:{port}/v1", model="stub", concurrency=threads,
        prices=Prices(prompt=400_000, completion=1_600_000),
    )  # fmt: skip
    requests = (
        Request(
            (Message(SYSTEM, "Grade the passage."), Message(USER, json.dumps({"n": n, "passage": PASSAGE}))),
            schema=schema, choices=tuple("01234"), max_tokens=32,
        )
        for n in range(items)
    )  # fmt: skip
    budget = Budget.objects.create(limit=10**12)
    start = time.perf_counter()
    replied = sum(reply is not None for _, reply in Asking(endpoint, budget=budget).each(requests))
    seconds = time.perf_counter() - start
    budget.refresh_from_db()
    assert replied == Call.objects.filter(state="answered").count() == items
    assert (budget.reserved, budget.calls) == (0, items)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Time asking through the ledger.")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--milliseconds", type=float, default=50)
    parser.add_argument("--serve", action="store_true", help="be the server")
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.milliseconds / 1000))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VARIORUM_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "variorum.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        command = [sys.executable, "-m", "benchmarks.machine", "--serve"]
        with subprocess.Popen(
            [*command, "--milliseconds", str(given.milliseconds)], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout
            began = time.process_time()
            seconds = ask(int(server.stdout.readline()), given.items, given.threads)
            spent = time.process_time() - began
            server.terminate()
    ideal = given.items * given.milliseconds / 1000 / given.threads
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{given.items:,} calls in {seconds:.1f} s, {seconds / ideal:.2f} times the ideal {ideal:.1f} s")
    print(f"{spent / given.items * 1000:.2f} ms of processor a call, {memory:.0f} MB at most")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
