"""A way for streams on loopback that can fall silent without a word to either side, as a firewall that has forgotten one does."""

import contextlib
import socket
import threading


class Wedge(threading.Thread):
    """Carries each connection on to `port`; `fall_silent` stops all those there are, without closing them. New ones are carried."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.onward = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.sockets: list[socket.socket] = []
        self.era = 0
        self.opened = 0

    def __enter__(self) -> "Wedge":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.era = -1
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            pass
        self.join()
        for s in [self.listener, *self.sockets]:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()

    def fall_silent(self) -> None:
        self.era += 1

    def run(self) -> None:
        while True:
            near, _ = self.listener.accept()
            if self.era < 0:
                near.close()
                return
            self.opened += 1
            try:
                far = socket.create_connection(("127.0.0.1", self.onward))
            except OSError:
                near.close()
                continue
            self.sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink, self.era), daemon=True).start()

    def carry(self, source: socket.socket, sink: socket.socket, era: int) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                # What comes later is taken and lost: neither side hears of an end.
                if self.era == era:
                    sink.sendall(data)
            if self.era == era:
                sink.shutdown(socket.SHUT_WR)
