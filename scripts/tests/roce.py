# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""RoCEv2 packets of a capture file, decoded and judged without any URD code.

From the InfiniBand specification, volume 1: chapter 5 (headers), chapter 9
(transport), Annex A17 (RoCEv2). Packet.faults() says what is wrong with one
packet; Flows looks at what follows what.
"""
import dataclasses
import struct
import zlib

PORT = 4791
BTH_LEN, ICRC_LEN = 12, 4

# Extension headers by what stands in EXTENSIONS below
SIZES = {"reth": 16, "aeth": 4, "atomic": 28, "atomicack": 8, "imm": 4, "ieth": 4, "deth": 8}
# Operations: low five bits of the opcode: name, extension headers, kind of payload
#   full: exactly the path MTU; some: 1 to path MTU; any: 0 to path MTU; none
OPERATIONS = {
    0x00: ("SEND_FIRST", (), "full"), 0x01: ("SEND_MIDDLE", (), "full"),
    0x02: ("SEND_LAST", (), "some"), 0x03: ("SEND_LAST_IMM", ("imm",), "some"),
    0x04: ("SEND_ONLY", (), "any"), 0x05: ("SEND_ONLY_IMM", ("imm",), "any"),
    0x06: ("WRITE_FIRST", ("reth",), "full"), 0x07: ("WRITE_MIDDLE", (), "full"),
    0x08: ("WRITE_LAST", (), "some"), 0x09: ("WRITE_LAST_IMM", ("imm",), "some"),
    0x0A: ("WRITE_ONLY", ("reth",), "any"), 0x0B: ("WRITE_ONLY_IMM", ("reth", "imm"), "any"),
    0x0C: ("READ_REQUEST", ("reth",), "none"),
    0x0D: ("READ_RESPONSE_FIRST", ("aeth",), "full"), 0x0E: ("READ_RESPONSE_MIDDLE", (), "full"),
    0x0F: ("READ_RESPONSE_LAST", ("aeth",), "some"), 0x10: ("READ_RESPONSE_ONLY", ("aeth",), "any"),
    0x11: ("ACK", ("aeth",), "none"), 0x12: ("ATOMIC_ACK", ("aeth", "atomicack"), "none"),
    0x13: ("CMP_SWAP", ("atomic",), "none"), 0x14: ("FETCH_ADD", ("atomic",), "none"),
    0x16: ("SEND_LAST_INV", ("ieth",), "some"), 0x17: ("SEND_ONLY_INV", ("ieth",), "any"),
}
RC, UC, UD = 0x00, 0x20, 0x60
CONTINUED = {"FIRST", "MIDDLE"}


def operation(opcode):
    """(name, extension headers, payload) of an opcode, or None."""
    service, low = opcode & 0xE0, opcode & 0x1F
    if low not in OPERATIONS:
        return None
    name, headers, payload = OPERATIONS[low]
    if service == RC:
        return name, headers, payload
    if service == UC and low <= 0x0B:
        return name, headers, payload
    if service == UD and low in (0x04, 0x05):
        return name, ("deth", *headers), payload
    return None


def crc32_bitwise(data):
    """CRC-32 of IEEE 802.3, one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def icrc(ip, udp, transport, crc=zlib.crc32):
    """Of a packet given as IP header, UDP header, BTH up to the end of the pad.

    A17.3.3: eight bytes of ones stand where the LRH would be, what routers may
    change is replaced by ones, also resv8a of the BTH.
    """
    ip, udp, transport = bytearray(ip), bytearray(udp), bytearray(transport)
    if ip[0] >> 4 == 4:
        ip[1] = 0xFF                                # type of service
        ip[8] = 0xFF                                # time to live
        ip[10:12] = b"\xff\xff"                     # header checksum
    else:
        ip[0] |= 0x0F                               # traffic class, flow label
        ip[1:4] = b"\xff\xff\xff"
        ip[7] = 0xFF                                # hop limit
    udp[6:8] = b"\xff\xff"                          # checksum
    transport[4] = 0xFF                             # resv8a
    return crc(b"\xff" * 8 + ip + udp + transport)


def ones_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclasses.dataclass
class Packet:
    """One RoCEv2 packet: where its parts are, and the fields of the BTH."""
    number: int
    eth: bytes                  # destination, source, type
    ip: bytes
    udp: bytes
    transport: bytes            # BTH to ICRC
    segment: int = 0            # which one of a super-packet
    segments: int = 1           # of so many

    def __post_init__(self):
        (self.opcode, flags, self.pkey, self.resv8a, qpn, self.ack_req, psn) = \
            struct.unpack(">BBHB3sB3s", self.transport[:BTH_LEN])
        self.solicited, self.migreq = flags >> 7, flags >> 6 & 1
        self.pad, self.version = flags >> 4 & 3, flags & 15
        self.qpn, self.psn = int.from_bytes(qpn, "big"), int.from_bytes(psn, "big")
        self.ack_req, self.resv7 = self.ack_req >> 7, self.ack_req & 127
        self.known = operation(self.opcode)
        self.name, self.headers, self.kind = self.known or ("?", (), "any")
        self.service = self.opcode & 0xE0
        self.ext, at = {}, BTH_LEN
        for header in self.headers:
            self.ext[header] = self.transport[at:at + SIZES[header]]
            at += SIZES[header]
        self.payload = self.transport[at:len(self.transport) - ICRC_LEN]
        self.length = len(self.payload) - self.pad

    @property
    def src(self):
        return self.ip[12:16] if self.ip[0] >> 4 == 4 else self.ip[8:24]

    @property
    def dst(self):
        return self.ip[16:20] if self.ip[0] >> 4 == 4 else self.ip[24:40]

    @property
    def is_response(self):
        return self.service == RC and 0x0D <= self.opcode <= 0x12

    def icrc_good(self, crc=zlib.crc32):
        want = icrc(self.ip, self.udp, self.transport[:-ICRC_LEN], crc)
        return struct.unpack("<I", self.transport[-ICRC_LEN:])[0] == want

    def ip_faults(self):
        sport, dport, udp_len, checksum = struct.unpack(">HHHH", self.udp)
        size = len(self.udp) + len(self.transport)
        if self.ip[0] >> 4 == 4:
            total, _, fragment = struct.unpack(">HHH", self.ip[2:8])
            yield from faults_if({
                "IPv4 length": total != len(self.ip) + size,
                "IPv4 header checksum": ones_sum(self.ip) != 0xFFFF,
                "IPv4 options": len(self.ip) != 20,
                "a fragment, or may become one": fragment != 0x4000})
        else:
            yield from faults_if({"IPv6 length": struct.unpack(">H", self.ip[4:6])[0] != size})
        yield from faults_if({
            "UDP length": udp_len != size, "UDP port": dport != PORT,
            "UDP source port below 0xc000": sport < 0xC000,
            "UDP checksum": checksum != 0 and not self.udp_checksum_good(),
            "Ethernet address of a group": self.group_mac() not in (None, self.eth[:6])})

    def group_mac(self):
        """RFC 1112, RFC 2464: where a multicast packet has to go."""
        if self.ip[0] >> 4 == 4 and self.dst[0] >> 4 == 0xE:
            return b"\x01\x00\x5e" + bytes([self.dst[1] & 0x7F]) + self.dst[2:]
        if self.ip[0] >> 4 == 6 and self.dst[0] == 0xFF:
            return b"\x33\x33" + self.dst[12:]
        return None

    def udp_checksum_good(self):
        size = len(self.udp) + len(self.transport)
        pseudo = self.src + self.dst + struct.pack(">II", size, 17)
        return ones_sum(pseudo + self.udp + self.transport) == 0xFFFF

    def faults(self, mtu):
        """What is wrong with the packet by itself, as texts."""
        yield from self.ip_faults()
        full, some = self.length == mtu, 0 < self.length <= mtu
        sizes = {"full": full, "some": some, "any": some or self.length == 0,
                 "none": self.length == 0}
        yield from faults_if({
            f"unknown opcode {self.opcode:#x}": not self.known,
            f"transport version {self.version}": self.version != 0,
            "MigReq is clear": not self.migreq,
            f"P_Key {self.pkey:#x}": self.pkey != 0xFFFF,
            "resv8a, resv7": self.resv8a & 0x3F or self.resv7,
            f"pad {self.pad} of {self.length} bytes": self.pad != -self.length % 4,
            "pad is not zero": any(self.payload[max(self.length, 0):]),
            f"{self.name} with {self.length} bytes, path MTU {mtu}": not sizes[self.kind],
            "AckReq of an unreliable service": self.ack_req and self.service != RC,
            "AckReq in a response": self.ack_req and self.is_response,
            "solicited in a response": self.solicited and self.is_response,
            "ICRC": not self.icrc_good()})
        if "aeth" in self.ext:
            yield from faults_if({
                f"{self.name} with syndrome {self.ext['aeth'][0]:#x}":
                    self.ext["aeth"][0] & 0x80 or
                    (self.opcode != 0x11 and self.ext["aeth"][0] & 0x60)})


def faults_if(table):
    return [text for text, wrong in table.items() if wrong]


# --- captures ---------------------------------------------------------------
def frames(path):
    """Ethernet frames of a capture file as tcpdump writes it."""
    with open(path, "rb") as file:
        magic = file.read(24)
        if magic[:4] != b"\xd4\xc3\xb2\xa1" or magic[20:24] != b"\x01\0\0\0":
            raise ValueError(f"{path}: no capture of Ethernet in this machine's byte order")
        while head := file.read(16):
            _, _, size, original = struct.unpack("<IIII", head)
            if size != original:
                raise ValueError(f"{path}: a frame was cut off")
            yield file.read(size)


def split(transport, mtu):
    """The segments of a super-packet's UDP payload.

    All but the last are of one size, which the first opcode gives: only a
    packet that is not the last of its message can be that long.
    """
    known = operation(transport[0])
    if known is None:
        return [transport]
    size = BTH_LEN + sum(SIZES[header] for header in known[1]) + mtu + ICRC_LEN
    return [transport[at:at + size] for at in range(0, len(transport), size)]


def as_segment(ip, udp, index, segment):
    """Headers as segmentation gives them to a segment: length and identification."""
    ip, udp = bytearray(ip), bytearray(udp)
    udp[4:6] = struct.pack(">H", len(udp) + len(segment))
    udp[6:8] = b"\0\0"
    if ip[0] >> 4 == 4:
        total, ident = struct.unpack(">HH", ip[2:6])
        total = len(ip) + len(udp) + len(segment)
        ip[2:6] = struct.pack(">HH", total, ident + index & 0xFFFF)
        ip[10:12] = b"\0\0"
        ip[10:12] = struct.pack(">H", 0xFFFF ^ ones_sum(bytes(ip)))
    else:
        ip[4:6] = struct.pack(">H", len(udp) + len(segment))
    return bytes(ip), bytes(udp)


def packets(path, mtu, super_packets=False):
    """Every RoCEv2 packet of a capture file."""
    for number, frame in enumerate(frames(path), 1):
        eth, ip = frame[:14], frame[14:]
        ip_len = (ip[0] & 15) * 4 if ip[0] >> 4 == 4 else 40
        udp, transport = ip[ip_len:ip_len + 8], ip[ip_len + 8:]
        ip = ip[:ip_len]
        if not super_packets:
            yield Packet(number, eth, ip, udp, transport)
            continue
        parts = split(transport, mtu)
        if len(parts) == 1:
            yield Packet(number, eth, ip, udp, transport)
            continue
        for index, segment in enumerate(parts):
            yield Packet(number, eth, *as_segment(ip, udp, index, segment), segment, index, len(parts))


# --- sequences --------------------------------------------------------------
class Requests:
    """What one side sends to one QP of the other, in order."""

    def __init__(self, mtu):
        self.mtu = mtu
        self.psn = None
        self.open = None        # SEND or WRITE whose last packet is still to come
        self.left = None        # bytes a WRITE still has to bring

    def step(self, packet):
        faults = []
        if self.psn is not None and packet.psn != self.psn:
            faults.append(f"PSN {packet.psn:#x}, expected {self.psn:#x}")
        count = 1
        if packet.name == "READ_REQUEST":
            count = max(1, -(-self.dma_length(packet) // self.mtu))
        self.psn = packet.psn + count & 0xFFFFFF
        faults += self.message(packet)
        return faults

    @staticmethod
    def dma_length(packet):
        return struct.unpack(">I", packet.ext["reth"][12:16])[0]

    def message(self, packet):
        verb, _, place = packet.name.partition("_")
        begins = place.split("_")[0] in ("FIRST", "ONLY") or self.verb_alone(packet)
        faults = faults_if({
            f"{packet.name} inside a {self.open}": begins and self.open,
            f"{packet.name} without a first packet": not begins and self.open != verb})
        if begins:
            self.left = self.dma_length(packet) if verb == "WRITE" else None
        if self.left is not None:
            self.left -= packet.length
        ends = place.split("_")[0] not in CONTINUED
        if ends and self.left:
            faults.append(f"{packet.name}: {self.left} bytes of the RETH's length are missing")
        self.open = None if ends else verb
        self.left = None if ends else self.left
        return faults

    @staticmethod
    def verb_alone(packet):
        return packet.name in ("READ_REQUEST", "CMP_SWAP", "FETCH_ADD")


class Responses:
    """What the other side answers: PSNs and MSNs never go back."""

    def __init__(self):
        self.psn = self.msn = self.reading = None

    def step(self, packet):
        faults = []
        if self.psn is not None and (packet.psn - self.psn & 0xFFFFFF) > 0x7FFFFF:
            faults.append(f"PSN {packet.psn:#x} of {packet.name} after {self.psn:#x}")
        if self.reading and packet.psn != self.psn + 1 & 0xFFFFFF:
            faults.append(f"{packet.name} PSN {packet.psn:#x} after {self.psn:#x} in a READ")
        if self.reading and not packet.name.startswith("READ_RESPONSE"):
            faults.append(f"{packet.name} inside READ responses")
        self.psn = packet.psn
        self.reading = packet.name in ("READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE")
        if "aeth" in packet.ext:
            msn = int.from_bytes(packet.ext["aeth"][1:], "big")
            if self.msn is not None and (msn - self.msn & 0xFFFFFF) > 0x7FFFFF:
                faults.append(f"MSN {msn:#x} after {self.msn:#x}")
            self.msn = msn
        return faults


class Flows:
    """All requests and responses of a capture. Datagrams go their own ways."""

    def __init__(self, mtu):
        self.mtu, self.flows = mtu, {}

    def step(self, packet):
        if packet.service == UD or not packet.known:
            return []
        key = (packet.is_response, packet.src, packet.dst, packet.qpn)
        if key not in self.flows:
            self.flows[key] = Responses() if packet.is_response else Requests(self.mtu)
        return self.flows[key].step(packet)
