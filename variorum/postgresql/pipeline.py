"""A pipeline of psycopg's that speaks to the server once: all its statements leave in one piece.

Psycopg's own (3.3) looks at the socket before each statement and sends it by itself, so that a server is
woken for the first while the others are still made; and it waits for BEGIN before anything else. That is
right for thousands of statements, and dear for three: here they wait for each other, and BEGIN leaves with
them.
"""

from __future__ import annotations

from psycopg import Pipeline
from psycopg.abc import PQGen
from psycopg.generators import send
from psycopg.pq import TransactionStatus


class OneTrip(Pipeline):
    """For a few short statements. What they answer is read when its block ends, and raised there, too."""

    def begin(self) -> None:
        """Begin a transaction with the first statement, where the connection is to have one and has none."""
        is_idle = self.pgconn.transaction_status == TransactionStatus.IDLE
        if is_idle and not self._conn.autocommit:
            # At once, not in the queue: psycopg asks libpq whether a transaction must be begun.
            self.pgconn.send_query_params(self._conn._get_tx_start_command(), None)
            self.result_queue.append(None)

    def commit(self) -> None:
        """End the transaction behind the last statement. The server passes over it after one that failed."""
        self.pgconn.send_query_params(b"COMMIT", None)
        self.result_queue.append(None)

    def _communicate_gen(self) -> PQGen[None]:
        """Hand the statements to libpq, which keeps them until they are sent. Called after each of them."""
        while self.command_queue:
            self.command_queue.popleft()()
        yield from ()

    def _exit_gen(self) -> PQGen[None]:
        """Send what is kept, and read all answers. Called at the end of the block, also after an error."""
        self._enqueue_sync()
        yield from self._communicate_gen()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)
