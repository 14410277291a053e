# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two "hosts" in one guest, for the suites that run verbs programs.

    netns A             netns B
      vA  ------------- vB        a veth pair
      dA                dB        URD devices

A Side is one of them: commands run there and their addresses and GID indexes are
known. Counting and the last line are those of scripts/lib.sh.
"""
import contextlib
import ipaddress
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

WORK = tempfile.mkdtemp(prefix="urd-test.")
SYS = "/sys/class/infiniband"

# Without loss none of these may move. What a program provokes on purpose its
# case allows by name.
ALARMS = re.compile(
    r"rx_icrc_error|rx_drop_|rx_duplicate|rx_out_of_sequence|rx_cnp|"
    r"[rt]x_(rnr|seq|access|invalid|op)_nak|tx_retransmit|tx_timeout|tx_dropped|"
    r"tx_no_route|retry_exceeded|bad_|cq_overflow|hostile_index|link_downed")


class Failed(Exception):
    """A test did not get what it wants."""


def need(condition, text):
    if not condition:
        raise Failed(text)


def sh(*argv, check=True):
    done = subprocess.run(argv, text=True, capture_output=True, check=False, timeout=60)
    if check and done.returncode:
        raise Failed(f"{' '.join(argv)}: {done.stdout}{done.stderr}")
    return done.stdout


def wait_for(what, seconds, function, step=0.03):
    end = time.monotonic() + seconds
    while True:
        result = function()
        if result:
            return result
        need(time.monotonic() < end, f"waited {seconds} s for {what}")
        time.sleep(step)


# --- counting ---------------------------------------------------------------
class Count:
    passed = failed = skipped = 0


def skip(name, why):
    Count.skipped += 1
    print(f"skip {name}: {why}", flush=True)


@contextlib.contextmanager
def counted(name):
    """One test; whatever it raises is its failure."""
    start = time.monotonic()
    try:
        yield
    except Exception as error:  # pylint: disable=broad-except
        Count.failed += 1
        text = str(error) if isinstance(error, Failed) else repr(error)
        head, _, rest = text.partition("\n")
        print(f"FAIL {name}: {head}")
        for line in rest.splitlines():
            print(f"     {line}")
        sys.stdout.flush()
    else:
        Count.passed += 1
        print(f"ok   {name} ({time.monotonic() - start:.1f} s)", flush=True)


def summary():
    """Print the last line of a suite; its exit status."""
    print(f"{Count.passed} passed, {Count.failed} failed, {Count.skipped} skipped")
    return 0 if Count.passed and not Count.failed else 1


# --- the rig ----------------------------------------------------------------
class Side:
    """One host: a namespace (or none), a netdev and a URD device."""

    def __init__(self, name, number, ns=True):
        self.ns = name if ns else None
        self.netdev, self.dev = "v" + name, "d" + name
        self.ip4, self.ip6 = f"10.1.0.{number}", f"fd01::{number}"

    def prefix(self):
        return ["ip", "netns", "exec", self.ns] if self.ns else []

    def run(self, *argv, check=True):
        return sh(*self.prefix(), *argv, check=check)

    def gid(self, address):
        """Index of the GID made from an address, or None."""
        if ":" in address:
            packed = ipaddress.ip_address(address).exploded
        else:
            a, b, c, d = (int(part) for part in address.split("."))
            packed = f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"
        # the namespace's own view of sysfs
        found = self.run("sh", "-c", f"grep -ls {packed} {SYS}/{self.dev}/ports/1/gids/*", check=False)
        return int(os.path.basename(found.split()[0])) if found else None

    def setup_netdev(self):
        self.run("sh", "-c", f"""
            ip link set lo up
            ip addr add {self.ip4}/24 dev {self.netdev}
            ip addr add {self.ip6}/64 dev {self.netdev} nodad
            ip link set {self.netdev} up""")

    def add_link(self):
        self.run("rdma", "link", "add", self.dev, "type", "urd", "netdev", self.netdev)
        self.gid4 = wait_for("an IPv4 GID", 10, lambda: self.gid_plus1(self.ip4)) - 1
        self.gid6 = wait_for("an IPv6 GID", 10, lambda: self.gid_plus1(self.ip6)) - 1

    def gid_plus1(self, address):
        index = self.gid(address)
        return None if index is None else index + 1

    def counters(self):
        stats = json.loads(self.run("rdma", "-j", "statistic", "show", "link", f"{self.dev}/1"))
        return {key: value for key, value in stats[0].items() if isinstance(value, int)}

    def objects(self):
        """How many objects of each kind the RDMA core holds for the device."""
        for dev in json.loads(self.run("rdma", "-j", "resource", "show", self.dev)):
            return {key: value for key, value in dev.items() if isinstance(value, int)}
        raise Failed(f"no resources of {self.dev}")


class Rig:
    """Sides A and B, up and with links."""

    def __init__(self, mtu=4500, exclusive=False):
        if "URD_KO" not in os.environ:
            sys.exit(f"{sys.argv[0]}: runs inside a guest: scripts/vm -- {sys.argv[0]}")
        if exclusive:
            sh("rdma", "system", "set", "netns", "exclusive")
        sh("ip", "netns", "add", "A")
        sh("ip", "netns", "add", "B")
        sh("ip", "link", "add", "vA", "mtu", str(mtu), "netns", "A", "type", "veth",
           "peer", "name", "vB", "mtu", str(mtu), "netns", "B")
        self.a, self.b = Side("A", 1), Side("B", 2)
        self.sides = (self.a, self.b)
        for side in self.sides:
            side.setup_netdev()
        for side in self.sides:
            wait_for("carrier", 10, lambda side=side: "LOWER_UP" in side.run(
                "ip", "link", "show", side.netdev))
            side.add_link()
        self.start = [side.objects() for side in self.sides]

    def set_mtu(self, mtu):
        for side in self.sides:
            side.run("ip", "link", "set", side.netdev, "mtu", str(mtu))

    def counters(self):
        return [side.counters() for side in self.sides]

    def moved(self, before):
        """Counters that differ from @before, as {"dA tx_retransmit": 3}."""
        return {f"{side.dev} {key}": value - old.get(key, 0)
                for side, old, new in zip(self.sides, before, self.counters())
                for key, value in new.items() if value != old.get(key, 0)}

    def leftovers(self):
        """Objects that were not there at the start."""
        return [f"{side.dev}: {now}, at the start {start}"
                for side, start in zip(self.sides, self.start)
                if (now := side.objects()) != start]

    def close(self):
        for side in self.sides:
            side.run("rdma", "link", "delete", side.dev, check=False)
            sh("ip", "netns", "del", side.ns, check=False)


# --- programs ---------------------------------------------------------------
class Program:
    """A command that runs on a side, its output in a file."""

    def __init__(self, side, command, env=None, wrap=()):
        self.command = command
        self.side = side
        fd, self.path = tempfile.mkstemp(dir=WORK)
        # line buffers: what a program that hangs has said must be in the file
        self.process = subprocess.Popen(
            [*side.prefix(), *wrap, "stdbuf", "-oL", "-eL", *command.split()],
            stdout=fd, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})}, start_new_session=True)
        os.close(fd)

    def output(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def ended(self):
        return self.process.poll() is not None

    def kill(self):
        if not self.ended():
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def forget(self):
        self.kill()
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def listens(self, port):
        """Does a process of the side's namespace listen on a TCP port, or have it with UDP?"""
        for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
            with contextlib.suppress(OSError), open(
                    f"/proc/{self.process.pid}/net/{table}", encoding="ascii") as file:
                if re.search(rf"^ *\d+: [0-9A-F]+:{port:04X} \S+ {state} ", file.read(), re.M):
                    return True
        return False

    def cm_listens(self):
        """Does it listen with the RDMA CM? The last exec keeps the pid."""
        return any(entry.get("state") == "LISTEN" and entry.get("pid") == self.process.pid
                   for entry in json.loads(
                       self.side.run("rdma", "-j", "resource", "show", "cm_id")))

    def describe(self):
        state = self.process.poll()
        state = "does not end" if state is None else f"status {state}"
        tail = "\n".join(f"  | {line}" for line in self.output().splitlines()[-8:])
        return f"{self.side.dev} {self.command}: {state}\n{tail}"


def ready(program, how, seconds):
    """Wait until a server can be connected to, or has ended."""
    if how is None:
        return
    if how == "cm":
        test = program.cm_listens
    elif isinstance(how, int):
        def test():
            return program.listens(how)
    else:
        def test():
            return re.search(how, program.output())
    wait_for(f"the server ({how})", seconds, lambda: program.ended() or test())
