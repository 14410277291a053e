#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Keep two RDMA devices busy until killed: traffic.py A B ADDRESS-A ADDRESS-B

RC with all operations in both directions, UC and UD; says "flowing" when each
has completed something. With the same device twice it talks to itself. Errors
end nothing: who runs this is about to pull the rug.
"""
import random
import sys
import time

import verbs
from pyverbs.addr import AH
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.wr import RecvWR, SendWR
from verbs import e

BATCH = 24
SIZE = 1 << 20
OPS = {
    "RC": (e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ, e.IBV_WR_ATOMIC_FETCH_AND_ADD,
           e.IBV_WR_RDMA_WRITE_WITH_IMM, e.IBV_WR_ATOMIC_CMP_AND_SWP),
    "UC": (e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE),
    "UD": (e.IBV_WR_SEND,),
}


class Flow:
    """One direction of one service."""

    def __init__(self, near, far, service, mtu):
        self.near, self.far, self.service, self.mtu = near, far, service, mtu
        self.qp, self.peer = verbs.pair(near, far, service, mtu, random.getrandbits(24))
        self.ah = AH(near.pd, attr=near.ah_attr(far.gid)) if service == "UD" else None
        self.open = self.ready = 0
        self.flowing = False

    def length(self, op):
        if op in (e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_WR_ATOMIC_CMP_AND_SWP):
            return 8
        limit = self.mtu if self.ah else 48 << 10
        return random.choice((0, 1, 64, self.mtu, random.randrange(limit), limit))

    def receives(self):
        while self.ready < BATCH:
            sge = self.far.buf.sge(SIZE // 2, 64 << 10)
            self.peer.post_recv(RecvWR(wr_id=id(self), num_sge=1, sg=[sge]))
            self.ready += 1

    def send(self):
        op = random.choice(OPS[self.service])
        wr = SendWR(wr_id=id(self), opcode=op, num_sge=1, sg=[self.near.buf.sge(0, self.length(op))])
        key, where = self.far.buf.mr.rkey, self.far.buf.address + SIZE // 4
        if self.ah:
            wr.set_wr_ud(self.ah, self.peer.qp_num, verbs.QKEY)
        elif op in (e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_WR_ATOMIC_CMP_AND_SWP):
            wr.set_wr_atomic(key, where, 1, 2)
        elif op != e.IBV_WR_SEND:
            wr.set_wr_rdma(key, where)
        self.qp.post_send(wr)
        self.open += 1

    def run(self):
        if self.open == 0:
            self.receives()
            for _ in range(BATCH):
                self.send()


def completed(end, flows, errors):
    end.poll()
    for wc in end.done:
        flow = flows[wc.wr_id]
        if wc.status != e.IBV_WC_SUCCESS:
            errors.add(wc.status)
        elif wc.qp_num == flow.qp.qp_num:
            flow.open -= 1
            flow.flowing |= flow.open == 0
        else:
            flow.ready -= 1
    end.done.clear()


def main():
    a = verbs.Endpoint(sys.argv[1], sys.argv[3], SIZE)
    b = verbs.Endpoint(sys.argv[2], sys.argv[4], SIZE) if sys.argv[1] != sys.argv[2] else a
    flows = {}
    for service in ("RC", "RC", "UC", "UD"):
        for near, far in ((a, b), (b, a)):
            flow = Flow(near, far, service, 1024)
            flows[id(flow)] = flow
    told, errors = False, set()
    while True:
        try:
            for flow in flows.values():
                flow.run()
            for end in {a, b}:
                completed(end, flows, errors)
        except PyverbsError:
            time.sleep(0.01)
        if not told and all(flow.flowing for flow in flows.values()):
            told = True
            print("flowing", flush=True)
        if errors:
            print("errors", errors, flush=True)
            errors.clear()


main()
