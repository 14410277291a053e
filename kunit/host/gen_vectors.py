#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Write known RoCEv2 packets as C, with an ICRC that no URD code computed.

    kunit/host/gen_vectors.py > kunit/vectors.h

Headers are packed here from the IBTA text (volume 1 chapter 9, Annexes A17 and
A19) and the CRC is taken bit by bit as IEEE 802.3 describes it. Every packet is
then checked against scapy: over IPv4 its RoCE layer builds the same packet and
ICRC on its own; over IPv6, which that layer does not know, scapy builds IP, UDP
and BTH and zlib's CRC runs over them. A difference is fatal.
"""
import logging
import struct
import sys
import zlib

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.contrib.roce import BTH                         # noqa: E402
from scapy.layers.inet import IP, UDP                      # noqa: E402
from scapy.layers.inet6 import IPv6                        # noqa: E402
from scapy.packet import Raw                               # noqa: E402

SRC4, DST4 = "192.0.2.17", "198.51.100.200"
SRC6, DST6 = "2001:db8::1:17", "2001:db8:ffff:0:a00:27ff:fe4e:66a1"
SPORT = 0xD1C7

RETH = dict(va=0x1122334455667788, rkey=0x99AABBCC, len=0x12345)
ATOMIC = dict(va=0xFEDCBA9876543210, rkey=0x01020304,
              swap_add=0x8070605040302010, compare=0x0F1E2D3C4B5A6978)
DETH = dict(qkey=0x80010000, src_qpn=0xABCDEF)
IMM, INV = 0xC0FFEE42, 0x5A17BEEF


def crc32_bitwise(data):
    """CRC-32 of IEEE 802.3, one bit at a time, least significant bit first."""
    crc = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            low = (crc ^ (byte >> bit)) & 1
            crc >>= 1
            if low:
                crc ^= 0xEDB88320
    return crc ^ 0xFFFFFFFF


def be24(value):
    return struct.pack(">I", value)[1:]


def ext_headers(pkt):
    """Extension headers in the order of the wire."""
    out = b""
    if "deth" in pkt:
        out += struct.pack(">I", pkt["deth"]["qkey"]) + b"\0" + be24(pkt["deth"]["src_qpn"])
    if "feth" in pkt:
        out += struct.pack(">I", pkt["feth"]["level"] << 4 | pkt["feth"]["type"])
    if "reth" in pkt:
        r = pkt["reth"]
        out += struct.pack(">QII", r["va"], r["rkey"], r["len"])
    if "atomic" in pkt:
        a = pkt["atomic"]
        out += struct.pack(">QIQQ", a["va"], a["rkey"], a["swap_add"], a["compare"])
    if "aeth" in pkt:
        out += bytes([pkt["aeth"]["syndrome"]]) + be24(pkt["aeth"]["msn"])
    if "atomic_orig" in pkt:
        out += struct.pack(">Q", pkt["atomic_orig"])
    if "imm" in pkt:
        out += struct.pack(">I", pkt["imm"])
    if "inv_rkey" in pkt:
        out += struct.pack(">I", pkt["inv_rkey"])
    return out


def bth(pkt):
    flags = pkt.get("se", 0) << 7 | pkt.get("mig", 1) << 6 | pkt["pad"] << 4
    return (struct.pack(">BBH", pkt["opcode"], flags, pkt.get("pkey", 0xFFFF)) +
            bytes([pkt.get("fecn", 0) << 7 | pkt.get("becn", 0) << 6]) + be24(pkt["qpn"]) +
            bytes([pkt.get("ackreq", 0) << 7]) + be24(pkt["psn"]))


def ones(data, *offsets):
    data = bytearray(data)
    for off in offsets:
        data[off] = 0xFF
    return bytes(data)


def inet_sum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ip4(udp_len, o):
    head = struct.pack(">BBHHHBBH", 0x45, o.get("tos", 0), 20 + udp_len, o.get("id", 0),
                       o.get("frag", 0x4000), o.get("ttl", 64), 17, 0)
    head += bytes(map(int, SRC4.split("."))) + bytes(map(int, DST4.split(".")))
    return head[:10] + struct.pack(">H", inet_sum(head)) + head[12:]


def ip6(udp_len, o):
    from ipaddress import IPv6Address
    return (struct.pack(">IHBB", 6 << 28 | o.get("tos", 0) << 20 | o.get("flow", 0),
                        udp_len, 17, o.get("ttl", 64)) +
            IPv6Address(SRC6).packed + IPv6Address(DST6).packed)


def build(version, pkt, o):
    body = payload(pkt["payload_len"]) + bytes(pkt["pad"])
    trans = bth(pkt) + ext_headers(pkt)
    udp_len = 8 + len(trans) + len(body) + 4
    udp = struct.pack(">HHHH", SPORT, 4791, udp_len, o.get("check", 0))
    ip = ip4(udp_len, o) if version == 4 else ip6(udp_len, o)
    if version == 4:
        masked = ones(ip, 1, 8, 10, 11)
    else:
        masked = bytes([ip[0] | 0x0F]) + ones(ip, 1, 2, 3, 7)[1:]
    masked = b"\xff" * 8 + masked + ones(udp, 6, 7) + ones(trans, 4) + body
    return ip + udp + trans + body + struct.pack("<I", crc32_bitwise(masked))


def payload(length):
    return bytes((7 * i + 3) & 0xFF for i in range(length))


def scapy_check(version, pkt, o, got):
    """The same packet from scapy; for IPv6 the ICRC from zlib."""
    trans = BTH(opcode=pkt["opcode"], solicited=pkt.get("se", 0), migreq=pkt.get("mig", 1),
                padcount=pkt["pad"], pkey=pkt.get("pkey", 0xFFFF), fecn=pkt.get("fecn", 0),
                becn=pkt.get("becn", 0), dqpn=pkt["qpn"], ackreq=pkt.get("ackreq", 0),
                psn=pkt["psn"])
    rest = ext_headers(pkt) + payload(pkt["payload_len"]) + bytes(pkt["pad"])
    udp = UDP(sport=SPORT, dport=4791, chksum=o.get("check", 0))
    if version == 4:
        frag = o.get("frag", 0x4000)
        ip = IP(src=SRC4, dst=DST4, tos=o.get("tos", 0), id=o.get("id", 0), flags=frag >> 13,
                ttl=o.get("ttl", 64))
        want = bytes(ip / udp / trans / Raw(rest))
        assert want == got, "scapy builds another IPv4 packet"
        return
    ip = IPv6(src=SRC6, dst=DST6, tc=0xFF, fl=0xFFFFF, hlim=0xFF)
    trans.fecn = trans.becn = 1
    trans.resv6 = 0x3F
    trans.icrc = 0
    udp.chksum = 0xFFFF
    masked = bytes(ip / udp / trans / Raw(rest))
    crc = zlib.crc32(b"\xff" * 8 + masked[:-4]) & 0xFFFFFFFF
    assert got[-4:] == struct.pack("<I", crc), "zlib over scapy's IPv6 packet differs"
    same = [i for i in range(len(got) - 4) if i not in (0, 1, 2, 3, 7, 46, 47, 52)]
    assert all(masked[i] == got[i] for i in same), "scapy builds another IPv6 packet"


def vector(name, version, opcode, length=0, ip=None, **fields):
    pkt = dict(opcode=opcode, pad=-length % 4, qpn=0x000123, psn=0xFFFFFE,
               payload_len=length)
    pkt.update(fields)
    o = ip or {}
    data = build(version, pkt, o)
    scapy_check(version, pkt, o, data)
    return name, version, pkt, data


MARKED = dict(tos=0xB9, ttl=1, id=0xBEEF, check=0x1234)
NO_DF = dict(frag=0, id=0x0001, ttl=255)
FLOW = dict(tos=0x2E, flow=0xA5C3F, ttl=3, check=0xABCD)


def vectors():
    v4, v6 = 4, 6
    yield vector("v4 SEND only, empty", v4, 0x04, ackreq=1)
    for n in (1, 2, 3, 5, 64, 1023):
        yield vector("v4 SEND only, %d bytes" % n, v4, 0x04, n, MARKED, ackreq=1, se=1)
    yield vector("v4 SEND first", v4, 0x00, 16, NO_DF, psn=0)
    yield vector("v4 SEND middle", v4, 0x01, 16, NO_DF, psn=1)
    yield vector("v4 SEND last", v4, 0x02, 1, NO_DF, psn=2)
    yield vector("v4 SEND last imm", v4, 0x03, 6, imm=IMM, se=1, ackreq=1)
    yield vector("v4 SEND only imm", v4, 0x05, 0, imm=IMM)
    yield vector("v4 SEND last inv", v4, 0x16, 9, inv_rkey=INV)
    yield vector("v4 SEND only inv", v4, 0x17, 4, inv_rkey=INV)
    yield vector("v4 WRITE first", v4, 0x06, 256, reth=RETH)
    yield vector("v4 WRITE middle", v4, 0x07, 16)
    yield vector("v4 WRITE last", v4, 0x08, 3)
    yield vector("v4 WRITE last imm", v4, 0x09, 3, imm=IMM)
    yield vector("v4 WRITE only", v4, 0x0A, 0, reth=dict(RETH, len=0))
    yield vector("v4 WRITE only imm", v4, 0x0B, 7, MARKED, reth=dict(RETH, len=7), imm=IMM)
    yield vector("v4 READ request", v4, 0x0C, 0, MARKED, reth=RETH, ackreq=1)
    yield vector("v4 READ response first", v4, 0x0D, 16, aeth=dict(syndrome=0x1F, msn=0xFFFFFF))
    yield vector("v4 READ response middle", v4, 0x0E, 16)
    yield vector("v4 READ response last", v4, 0x0F, 2, aeth=dict(syndrome=0x0A, msn=0))
    yield vector("v4 READ response only", v4, 0x10, 6, aeth=dict(syndrome=0x1F, msn=7))
    yield vector("v4 ACK", v4, 0x11, 0, aeth=dict(syndrome=0x1F, msn=0x010203))
    yield vector("v4 RNR NAK", v4, 0x11, 0, aeth=dict(syndrome=0x2E, msn=1))
    yield vector("v4 NAK invalid request", v4, 0x11, 0, aeth=dict(syndrome=0x61, msn=2))
    yield vector("v4 ATOMIC ACK", v4, 0x12, 0, aeth=dict(syndrome=0x1F, msn=3),
                 atomic_orig=0x0123456789ABCDEF)
    yield vector("v4 CmpSwap", v4, 0x13, 0, atomic=ATOMIC)
    yield vector("v4 FetchAdd", v4, 0x14, 0, atomic=dict(ATOMIC, compare=0))
    yield vector("v4 FLUSH", v4, 0x1C, 0, reth=RETH, feth=dict(type=3, level=1))
    yield vector("v4 ATOMIC WRITE", v4, 0x1D, 8, reth=dict(RETH, len=8))
    yield vector("v4 UC SEND only", v4, 0x24, 10, mig=0, pkey=0x7FFF)
    yield vector("v4 UC WRITE first", v4, 0x26, 16, reth=RETH)
    yield vector("v4 UD SEND only", v4, 0x64, 13, deth=DETH, qpn=0xFFFFFF)
    yield vector("v4 UD SEND only imm", v4, 0x65, 0, deth=DETH, imm=IMM, qpn=1)
    yield vector("v4 CNP", v4, 0x81, 16, becn=1, mig=0, psn=0)
    yield vector("v4 SEND only, FECN", v4, 0x04, 8, MARKED, fecn=1)
    yield vector("v6 SEND only, empty", v6, 0x04, ackreq=1)
    for n in (1, 2, 3, 64):
        yield vector("v6 SEND only, %d bytes" % n, v6, 0x04, n, FLOW, ackreq=1)
    yield vector("v6 WRITE only imm", v6, 0x0B, 5, FLOW, reth=dict(RETH, len=5), imm=IMM)
    yield vector("v6 READ request", v6, 0x0C, 0, FLOW, reth=RETH)
    yield vector("v6 READ response last", v6, 0x0F, 255, aeth=dict(syndrome=0x1F, msn=8))
    yield vector("v6 ACK", v6, 0x11, 0, aeth=dict(syndrome=0x1F, msn=9))
    yield vector("v6 CmpSwap", v6, 0x13, 0, FLOW, atomic=ATOMIC)
    yield vector("v6 UD SEND only", v6, 0x64, 11, FLOW, deth=DETH, fecn=1, becn=1)
    yield vector("v6 UC WRITE last imm", v6, 0x29, 1, imm=IMM)


def wrap_fields(key, value):
    """Designated initialisers of one field, nested structs member by member."""
    if isinstance(value, dict):
        return [".%s.%s = %s," % (key, k, c_value(k, v)) for k, v in value.items()]
    return [".%s = %s," % (key, c_value(key, value))]


def c_value(key, value):
    if key == "imm":
        return "cpu_to_be32(0x%08x)" % value
    if key in ("se", "mig", "ackreq", "fecn", "becn"):
        return "true" if value else "false"
    if key in ("pad", "payload_off", "payload_len"):
        return "%d" % value
    return "0x%x%s" % (value, "ull" if value >> 32 else "")


def emit(index, name, version, pkt, data):
    pkt = dict(pkt, payload_off=12 + len(ext_headers(pkt)))
    pkt.setdefault("mig", 1)
    pkt.setdefault("pkey", 0xFFFF)
    print("\t{\n\t\t.name = \"%s\"," % name)
    print("\t\t.data = vector_%d,\n\t\t.len = sizeof(vector_%d)," % (index, index))
    print("\t\t.ip_len = %d," % (20 if version == 4 else 40))
    print("\t\t.pkt = {")
    line = "\t\t\t"
    for key, value in pkt.items():
        for word in wrap_fields(key, value):
            if len(line.expandtabs(8) + word) > 96:
                print(line.rstrip(" "))
                line = "\t\t\t"
            line += word + " "
    print(line.rstrip(" "))
    print("\t\t},\n\t},")


def main():
    every = list(vectors())
    print("/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */\n"
          "/* Generated with kunit/host/gen_vectors.py, do not edit. */\n"
          "#ifndef URD_VECTORS_H\n#define URD_VECTORS_H\n\n"
          "#include \"../drivers/urd/proto/packet.h\"\n")
    for i, (_, _, _, data) in enumerate(every):
        print("static const u8 vector_%d[] = {" % i)
        for at in range(0, len(data), 12):
            print("\t" + " ".join("0x%02x," % b for b in data[at:at + 12]))
        print("};\n")
    print("/**\n * struct urd_vector - one packet and what it says\n"
          " * @name: for messages\n * @data: IP header to ICRC\n * @len: bytes\n"
          " * @ip_len: 20 or 40\n * @pkt: expected result of urd_packet_parse(), without @op\n */")
    print("struct urd_vector {\n\tconst char *name;\n\tconst u8 *data;\n\tu32 len;\n"
          "\tu32 ip_len;\n\tstruct urd_packet pkt;\n};\n")
    print("static const struct urd_vector urd_vectors[] = {")
    for i, (name, version, pkt, data) in enumerate(every):
        emit(i, name, version, pkt, data)
    print("};\n\n#endif /* URD_VECTORS_H */")
    print("%d vectors, all as scapy has them" % len(every), file=sys.stderr)


if __name__ == "__main__":
    main()
