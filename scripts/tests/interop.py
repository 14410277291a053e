#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Verbs between two devices of different drivers: interop.py A B ADDRESS-A ADDRESS-B MTU

Each operation in each direction with each size; every byte that arrives is
compared, and so are the bytes around it. Prints "ok NAME" or "FAIL NAME: why"
for each row and exits 1 if one failed.
"""
import argparse
import itertools
import random
import struct
import sys

import verbs
from pyverbs.pyverbs_error import PyverbsError
from verbs import RecvWR, SendWR, e

BIG = 8 << 20
GUARD = 64
AREA = BIG + 2 * GUARD
IMM = 0x12345678
OPCODE = {
    "SEND": e.IBV_WR_SEND, "SEND_IMM": e.IBV_WR_SEND_WITH_IMM,
    "WRITE": e.IBV_WR_RDMA_WRITE, "WRITE_IMM": e.IBV_WR_RDMA_WRITE_WITH_IMM,
    "READ": e.IBV_WR_RDMA_READ, "CMP_SWP": e.IBV_WR_ATOMIC_CMP_AND_SWP,
    "FETCH_ADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD,
}
OPS = {"RC": ["SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "READ"],
       "UC": ["SEND", "SEND_IMM", "WRITE", "WRITE_IMM"],
       "UD": ["SEND", "SEND_IMM"]}
SECONDS = 30
random.seed(4791)


def sizes(service, mtu):
    if service == "UD":
        return [0, 1, mtu - 1, mtu]
    return [0, 1, mtu - 1, mtu, mtu + 1, 65536, BIG]


class Area:
    """Bytes of a buffer with guards around them: source or destination."""

    def __init__(self, end, base, size, shift, fill):
        self.end, self.size = end, size
        self.base, self.offset = base, base + GUARD + shift
        self.before = fill * (GUARD + shift)
        self.after = fill * GUARD
        self.view = end.buf.view
        self.view[base:self.offset] = self.before
        self.view[self.offset:self.offset + size] = fill * size
        self.view[self.offset + size:self.offset + size + GUARD] = self.after

    def set(self, data):
        self.view[self.offset:self.offset + self.size] = data

    def check(self, data):
        end = self.offset + self.size
        if self.view[self.offset:end] != data:
            bad = next(i for i in range(self.size) if self.view[self.offset + i] != data[i])
            raise verbs.Failure(f"wrong data from byte {bad} of {self.size}")
        if self.view[self.base:self.offset] != self.before or \
                self.view[end:end + GUARD] != self.after:
            raise verbs.Failure("bytes around the message were written")

    def sge(self):
        return self.end.buf.sge(self.offset, self.size)

    @property
    def address(self):
        return self.end.buf.address + self.offset


class Link:
    """A connected pair of QPs, seen from the side that initiates."""

    def __init__(self, near, far, service, mtu, psn):
        self.near, self.far, self.service, self.mtu = near, far, service, mtu
        self.ends = (near, far)
        for end in self.ends:
            end.poll()
            end.done.clear()
        self.qp, self.peer = verbs.pair(near, far, service, mtu, psn)
        self.ah = verbs.AH(near.pd, attr=near.ah_attr(far.gid)) if service == "UD" else None
        self.shift = itertools.cycle([0, 3, 1, 0, 2])
        self.id = 0

    def close(self):
        for thing in (self.ah, self.qp, self.peer):
            if thing:
                thing.close()

    def post(self, op, sge, **kwargs):
        self.id += 1
        wr = SendWR(wr_id=self.id, opcode=OPCODE[op], num_sge=1, sg=[sge], imm_data=IMM,
                    send_flags=e.IBV_SEND_SIGNALED | kwargs.get("flags", 0))
        if self.ah:
            wr.set_wr_ud(self.ah, self.peer.qp_num, verbs.QKEY)
        elif "rdma" in kwargs:
            wr.set_wr_rdma(*kwargs["rdma"])
        elif "atomic" in kwargs:
            wr.set_wr_atomic(*kwargs["atomic"])
        self.qp.post_send(wr)
        return self.id

    def post_recv(self, sge):
        self.id += 1
        self.peer.post_recv(RecvWR(wr_id=self.id, num_sge=1, sg=[sge]))
        return self.id

    def sent(self, wr_id):
        wc = verbs.take(self.near, self.ends, SECONDS, "send completion")
        if wc.wr_id != wr_id:
            raise verbs.Failure(f"completion of request {wc.wr_id}, not {wr_id}")

    def received(self, wr_id, op, size):
        wc = verbs.take(self.far, self.ends, SECONDS, "receive completion")
        head = verbs.GRH if self.ah else 0
        want = e.IBV_WC_RECV_RDMA_WITH_IMM if op == "WRITE_IMM" else e.IBV_WC_RECV
        if wc.wr_id != wr_id or wc.opcode != want:
            raise verbs.Failure(f"receive completion {wc.wr_id} opcode {wc.opcode}")
        if wc.byte_len != size + head:
            raise verbs.Failure(f"receive completion says {wc.byte_len} bytes, not {size + head}")
        if op.endswith("IMM") and (not wc.wc_flags & e.IBV_WC_WITH_IMM or wc.imm_data != IMM):
            raise verbs.Failure(f"immediate data {wc.imm_data:#x}, flags {wc.wc_flags:#x}")
        if self.ah and wc.src_qp != self.qp.qp_num:
            raise verbs.Failure(f"source QP {wc.src_qp:#x}, not {self.qp.qp_num:#x}")

    # --- operations ----------------------------------------------------------
    def transfer(self, op, size):
        """One message; for READ the data comes the other way."""
        data = random.randbytes(size)
        here = Area(self.near, 0, size, next(self.shift), b"\xaa")
        there = Area(self.far, 0, size + (verbs.GRH if self.ah else 0), next(self.shift), b"\x55")
        source, target = (there, here) if op == "READ" else (here, there)
        source.set(data)
        recv = None
        if op.startswith("SEND"):
            recv = self.post_recv(there.sge())
        elif op == "WRITE_IMM":
            recv = self.post_recv(self.far.buf.sge(AREA, 0))
        send = self.post(op, here.sge(), rdma=(self.far.buf.mr.rkey, there.address))
        if recv:
            self.received(recv, op, size)
        self.sent(send)
        if op == "WRITE" and self.service == "UC":
            self.fence_by_send()
        if self.ah:
            data = bytes(target.view[target.offset:target.offset + verbs.GRH]) + data
        target.check(data)
        source.check(data[verbs.GRH:] if self.ah else data)

    def fence_by_send(self):
        """An unreliable WRITE is there when a SEND behind it is."""
        recv = self.post_recv(self.far.buf.sge(AREA, 8))
        send = self.post("SEND", self.near.buf.sge(AREA, 8))
        self.received(recv, "SEND", 8)
        self.sent(send)

    def lossy(self, op, size, tries=10):
        """A long message over UC may be lost, as a whole and without a word."""
        for _ in range(tries):
            link = Link(self.near, self.far, self.service, self.mtu, 0xfffff0)
            try:
                link.transfer_or_lose(op, size)
                return
            except Lost:
                pass
            finally:
                link.close()
        raise verbs.Failure(f"lost {tries} times out of {tries}")

    def transfer_or_lose(self, op, size):
        data = random.randbytes(size)
        here, there = Area(self.near, 0, size, 0, b"\xaa"), Area(self.far, 0, size, 0, b"\x55")
        here.set(data)
        mark = self.far.buf.sge(AREA, 8)
        recv = self.post_recv(there.sge() if op.startswith("SEND") else mark)
        send = self.post(op, here.sge(), rdma=(self.far.buf.mr.rkey, there.address))
        self.sent(send)
        self.qp_settle()
        if op == "WRITE":
            # a marker message tells when all has arrived; a lost WRITE leaves a gap
            self.post("SEND", self.near.buf.sge(AREA, 8))
            self.qp_settle()
            wc = self.pop_far()
            if not wc or there.view[there.offset:there.offset + size] != data:
                raise Lost
        else:
            wc = self.pop_far()
            if not wc:
                raise Lost
            if wc.wr_id != recv or wc.byte_len != size:
                raise verbs.Failure(f"receive completion says {wc.byte_len} bytes, not {size}")
        there.check(data)

    def qp_settle(self, seconds=2.0):
        import time
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and not self.far.done:
            self.near.poll()
            self.far.poll()

    def pop_far(self):
        self.far.poll()
        return self.far.done.pop(0) if self.far.done else None

    def atomics(self, op, count=40):
        """Returned values and the target must follow the model."""
        here = Area(self.near, 0, 8, 0, b"\xaa")
        there = Area(self.far, 0, 8, 0, b"\x55")
        value = random.getrandbits(64)
        there.set(struct.pack("=Q", value))
        for i in range(count):
            operand = random.getrandbits(64)
            if op == "FETCH_ADD":
                args, after = (operand, 0), (value + operand) & (1 << 64) - 1
            elif i % 3 == 2:
                args, after = (value ^ 1, operand), value
            else:
                args, after = (value, operand), operand
            send = self.post(op, here.sge(), atomic=(self.far.buf.mr.rkey, there.address, *args))
            self.sent(send)
            here.check(struct.pack("=Q", value))
            there.check(struct.pack("=Q", after))
            value = after

    def burst(self, count=60):
        """Operations in flight together complete in order with all data."""
        size, kinds = 3 * self.mtu + 5, ("WRITE", "SEND", "READ", "FETCH_ADD")
        step = size + 2 * GUARD + 8
        work, counter = [], Area(self.far, (count * step + 7) & ~7, 8, 0, b"\0")
        recvs = []
        for i in range(count):
            op = kinds[i % 4]
            length = 8 if op == "FETCH_ADD" else size
            here = Area(self.near, i * step, length, i % 3, b"\xaa")
            there = Area(self.far, i * step, length, i % 2, b"\x55")
            data = random.randbytes(length)
            (there if op == "READ" else here).set(data)
            if op == "SEND":
                recvs.append((self.post_recv(there.sge()), length))
            work.append([op, here, there, data])
        ids = []
        for op, here, there, _ in work:
            if op == "FETCH_ADD":
                ids.append(self.post(op, here.sge(), atomic=(self.far.buf.mr.rkey, counter.address, 1)))
            else:
                ids.append(self.post(op, here.sge(), rdma=(self.far.buf.mr.rkey, there.address)))
        for wr_id in ids:
            self.sent(wr_id)
        for wr_id, length in recvs:
            self.received(wr_id, "SEND", length)
        for number, (op, here, there, data) in enumerate(work):
            if op == "FETCH_ADD":
                here.check(struct.pack("=Q", number // 4))
            else:
                (here if op == "READ" else there).check(data)
        counter.check(struct.pack("=Q", count // 4))

    def rnr(self):
        """The receiver is not ready: RNR NAK, wait, again."""
        here, there = (Area(end, 0, 5000, 0, b"\xaa") for end in self.ends)
        data = random.randbytes(5000)
        here.set(data)
        send = self.post("SEND", here.sge())
        self.qp_settle(0.1)
        recv = self.post_recv(there.sge())
        self.received(recv, "SEND", 5000)
        self.sent(send)
        there.check(data)

    def denied(self, op):
        """A wrong key is answered at once, and ends both QPs."""
        here = Area(self.near, 0, 100, 0, b"\xaa")
        send = self.post(op, here.sge(), rdma=(self.far.buf.mr.rkey ^ 0xff00, self.far.buf.address))
        verbs.wait_until(lambda: self.near.done, self.ends, 3, "an answer to a wrong key")
        wc = self.near.done.pop(0)
        if wc.wr_id != send or wc.status != e.IBV_WC_REM_ACCESS_ERR:
            raise verbs.Failure(f"status {verbs.STATUS.get(wc.status)}, not REM_ACCESS_ERR")


class Lost(Exception):
    """An unreliable message did not arrive."""


class Table:
    """Runs rows and counts."""

    def __init__(self, a, b, mtu, version):
        self.directions = ((a, b), (b, a))
        self.mtu, self.version, self.failed = mtu, version, 0

    def row(self, link, name, function, *args):
        title = f"{link.near.name}>{link.far.name} v{self.version} mtu {self.mtu} {link.service} {name}"
        try:
            function(*args)
            print("ok  ", title, flush=True)
            return True
        except (verbs.Failure, PyverbsError) as error:
            self.failed += 1
            print(f"FAIL {title}: {error}", flush=True)
            return False

    def run(self, service):
        # the second PSN wraps in the middle of the 64 KiB message
        psn = 0xfffff0 if self.version == 6 else 0x345678
        for near, far in self.directions:
            for op in OPS[service]:
                link = Link(near, far, service, self.mtu, psn)
                for size in sizes(service, self.mtu):
                    lossy = service == "UC" and size == BIG
                    function = link.lossy if lossy else link.transfer
                    if not self.row(link, f"{op} {size}", function, op, size):
                        link.close()
                        link = Link(near, far, service, self.mtu, psn)
                link.close()
            if service == "RC":
                self.run_rc(near, far)

    def run_rc(self, near, far):
        for name, method, *args in (
                ("CMP_SWP", Link.atomics, "CMP_SWP"), ("FETCH_ADD", Link.atomics, "FETCH_ADD"),
                ("60 in flight", Link.burst), ("receiver not ready", Link.rnr),
                ("WRITE with a wrong key", Link.denied, "WRITE"),
                ("READ with a wrong key", Link.denied, "READ")):
            link = Link(near, far, "RC", self.mtu, 0xfffff0)
            self.row(link, name, method, link, *args)
            link.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("address_a")
    parser.add_argument("address_b")
    parser.add_argument("mtu", type=int)
    parser.add_argument("--services", default="RC,UC,UD")
    args = parser.parse_args()
    a = verbs.Endpoint(args.a, args.address_a, AREA + 4096)
    b = verbs.Endpoint(args.b, args.address_b, AREA + 4096)
    table = Table(a, b, args.mtu, 6 if ":" in args.address_a else 4)
    for service in args.services.split(","):
        table.run(service)
    return table.failed > 0


sys.exit(main())
