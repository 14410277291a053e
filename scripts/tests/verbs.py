# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Endpoints for tests that connect two RDMA devices inside one process.

Devices may sit in different network namespaces as long as the RDMA core shares
them ("rdma system set netns shared"); QPs are connected by hand, without the CM.
"""
import ctypes
import ipaddress
import mmap
import time

from pyverbs import enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

ACCESS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE |
          e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC)
REMOTE = ACCESS & ~e.IBV_ACCESS_LOCAL_WRITE
MTU = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
QP_TYPE = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD}
QKEY = 0x11111111
GRH = 40
STATUS = {getattr(e, name): name[7:] for name in dir(e) if name.startswith("IBV_WC_")
          and name not in ("IBV_WC_SEND", "IBV_WC_WITH_IMM") and not name.startswith("IBV_WC_EX")}


class Failure(Exception):
    """What a test found wrong."""


def gid_of(address):
    """The GID text that belongs to an IP address."""
    ip = ipaddress.ip_address(address)
    if ip.version == 4:
        ip = ipaddress.ip_address("::ffff:" + address)
    return ip.exploded


class Buffer:
    """Registered memory that Python can slice."""

    def __init__(self, pd, size):
        self.map = mmap.mmap(-1, size)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.view = memoryview(self.map)
        self.mr = MR(pd, size, ACCESS, address=self.address)

    def sge(self, offset, length):
        return SGE(self.address + offset, length, self.mr.lkey)


class Endpoint:
    """A device with a PD, a CQ for everything and a buffer."""

    def __init__(self, device, address, size=1 << 16):
        self.name = device
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 1024)
        self.buf = Buffer(self.pd, size)
        self.done = []
        self.use(address)

    def use(self, address):
        """Speak from this IP address from now on."""
        want = gid_of(address)
        for entry in self.ctx.query_gid_table(256):
            if entry.gid_str() == want and entry.gid_type == e.IBV_GID_TYPE_ROCE_V2:
                self.gid, self.gid_index = GID(want), entry.gid_index
                return
        raise Failure(f"{self.name} has no RoCE v2 GID for {address}")

    def poll(self):
        """Move completions to self.done."""
        count, wcs = self.cq.poll(64)
        self.done += wcs
        return count

    def create_qp(self, service, **caps):
        cap = QPCap(**{"max_send_wr": 128, "max_recv_wr": 128, "max_send_sge": 4,
                       "max_recv_sge": 4, **caps})
        return QP(self.pd, QPInitAttr(qp_type=QP_TYPE[service], scq=self.cq, rcq=self.cq,
                                      cap=cap, sq_sig_all=0))

    def ah_attr(self, gid):
        return AHAttr(gr=GlobalRoute(dgid=gid, sgid_index=self.gid_index),
                      is_global=1, port_num=1)


def connect(qp, service, end, peer_qp, peer, mtu, psn, peer_psn, **attrs):
    """Bring one QP from RESET to RTS."""
    attr = QPAttr(port_num=1)
    attr.qp_access_flags = REMOTE if service == "RC" else REMOTE & e.IBV_ACCESS_REMOTE_WRITE
    attr.qkey = QKEY
    attr.path_mtu = MTU[mtu]
    attr.rq_psn, attr.sq_psn = peer_psn, psn
    attr.dest_qp_num = peer_qp.qp_num
    attr.ah_attr = end.ah_attr(peer.gid)
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 16
    attr.min_rnr_timer, attr.timeout = 1, 14
    attr.retry_cnt = attr.rnr_retry = 7
    for name, value in attrs.items():
        setattr(attr, name, value)
    qp.to_rts(attr)


def pair(a, b, service, mtu=1024, psn=0, **attrs):
    """Two connected QPs, one of each endpoint."""
    qa, qb = a.create_qp(service), b.create_qp(service)
    connect(qa, service, a, qb, b, mtu, psn, psn ^ 0x5a5, **attrs)
    connect(qb, service, b, qa, a, mtu, psn ^ 0x5a5, psn, **attrs)
    return qa, qb


def wait_until(condition, ends, seconds, what):
    """Poll the endpoints' CQs until condition() holds."""
    limit = time.monotonic() + seconds
    while not condition():
        if not sum([end.poll() for end in ends]) and time.monotonic() > limit:
            raise Failure(f"nothing after {seconds} s: {what}")


def take(end, ends, seconds, what):
    """The next completion of an endpoint, which must be a success."""
    wait_until(lambda: end.done, ends, seconds, what)
    wc = end.done.pop(0)
    if wc.status != e.IBV_WC_SUCCESS:
        raise Failure(f"{what}: {end.name} completed with {STATUS.get(wc.status, wc.status)}")
    return wc
