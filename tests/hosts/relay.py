#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A wire between two network namespaces that delays each packet by a known time, which may differ by direction.

usage: relay.py PID PID
Opens a TUN device (link0, 10.77.0.1 and .2) in the network namespace of each process and forwards what comes out of one
to the other. Each line on standard input, two numbers in seconds, sets the delays there and back and is answered by a
line. Packets that arrive while the delays are negative are lost. The relay ends with its standard input.
"""
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
PR_SET_TIMERSLACK = 29
LONGEST_PACKET = 65535
LIBC = ctypes.CDLL(None, use_errno=True)


def open_link(pid, address):
    """Opens the end of the wire in the namespace of a process."""
    with open(f"/proc/{pid}/ns/net", "rb") as namespace:
        if LIBC.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"link0", IFF_TUN_NO_PI))
    # Long packets, so that the cost of a packet in the relay does not limit the bandwidth.
    for command in (f"ip address add {address}/24 dev link0", "ip link set dev link0 mtu 65000 up"):
        subprocess.run(command.split(), check=True)
    return device


def punctual():
    """Makes this process wake up on time even if others compute, as far as permitted."""
    LIBC.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        os.sched_yield()


class Relay:
    def __init__(self, ends):
        self.ends = ends
        self.other = dict(zip(ends, reversed(ends)))
        self.delay = dict.fromkeys(ends, 0.0)
        self.under_way = {end: collections.deque() for end in ends}

    def set_delays(self, text):
        self.delay = dict(zip(self.ends, map(float, text.split())))
        print("set", flush=True)

    def take(self, end):
        try:
            while True:
                packet = os.read(end, LONGEST_PACKET)
                if self.delay[end] >= 0:
                    self.under_way[end].append((time.monotonic() + self.delay[end], packet))
        except BlockingIOError:
            pass

    def deliver(self):
        """Forwards the packets that are due. \\return seconds until the next one, None without one"""
        for end, packets in self.under_way.items():
            while packets and packets[0][0] <= time.monotonic():
                os.write(self.other[end], packets.popleft()[1])
        due = [packets[0][0] for packets in self.under_way.values() if packets]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def run(self):
        wait = None
        while True:
            readable, _, _ = select.select([sys.stdin, *self.ends], [], [], wait)
            if sys.stdin in readable:
                line = sys.stdin.readline()
                if not line:
                    return
                self.set_delays(line)
            for end in self.ends:
                if end in readable:
                    self.take(end)
            wait = self.deliver()


def main():
    relay = Relay([open_link(pid, f"10.77.0.{i}") for i, pid in enumerate(sys.argv[1:3], 1)])
    punctual()
    print("up", flush=True)
    relay.run()


if __name__ == "__main__":
    main()
