# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the suites that run inside a guest share. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
[[ -n ${URD_KO:-} ]] || usage_error "runs inside a guest: scripts/vm -- $0"
# shellcheck disable=SC2034 # for the suites
TESTS=$URD_TOP/scripts/tests
work=$(mktemp -d)
ulimit -c 0
shopt -s lastpipe	# a loop at the end of a pipe can count

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}
# check NAME COMMAND...: it must succeed
check() {
	local name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		pass "$name"
	else
		fail "$name: $* (status $?)"
		sed 's/^/    /' "$work/out" | tail -n 8
		return 1
	fi
}
not() { ! "$@"; }
# has PATTERN COMMAND...: PATTERN is in its output
has() { [[ $("${@:2}" 2>&1) == *"$1"* ]]; }
in_ns() { ip netns exec "$@"; }

# count_rows COMMAND...: it prints a line "ok NAME" or "FAIL NAME" for each test
count_rows() {
	local word rest rows=0 before=$URD_FAILED status
	"$@" 2>&1 | while read -r word rest; do
		case $word in
		ok) pass "$rest"; rows=$((rows + 1)) ;;
		FAIL) fail "$rest"; rows=$((rows + 1)) ;;
		skip) skip "$rest" ;;
		*) echo "    $word $rest" ;;
		esac
	done
	status=${PIPESTATUS[0]}
	if ((rows == 0 || (status && URD_FAILED == before))); then
		fail "$*: status $status, $rows rows"
	fi
}

# gid_text ADDRESS: its GID as sysfs prints it
gid_text() {
	/usr/bin/python3 -c 'import ipaddress, sys
a = sys.argv[1]
print(ipaddress.ip_address(a if ":" in a else "::ffff:" + a).exploded)' "$1"
}
has_gid() { grep -qs "$(gid_text "$2")" "/sys/class/infiniband/$1"/ports/1/gids/*; }

# veth A B NAMESPACE-OF-B: 10.1.0.1 and fd01::1 on A, .2 on B
veth() {
	local nsb=$3
	ip link add "$1" mtu 4500 type veth peer name "$2" mtu 4500
	[[ -z $nsb ]] || ip link set "$2" netns "$nsb"
	ip addr add 10.1.0.1/24 dev "$1"
	ip addr add fd01::1/64 dev "$1" nodad
	ip link set "$1" up
	ns_b() { if [[ -n $nsb ]]; then in_ns "$nsb" "$@"; else "$@"; fi; }
	ns_b ip addr add 10.1.0.2/24 dev "$2"
	ns_b ip addr add fd01::2/64 dev "$2" nodad
	ns_b ip link set "$2" up
}
