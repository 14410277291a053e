# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the scripts beside this file share: places, messages, counting, kernels.
# Sourced, never run. Everything is below $URD_TOP/build or $URD_CACHE.

URD_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
URD_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/urd
URD_BUILD=$URD_TOP/build
URD_LOGS=$URD_BUILD/logs
RDMA_CORE_VERSION=56.1
export URD_TOP URD_CACHE URD_BUILD

if [[ $URD_TOP$URD_CACHE == *[[:space:]]* ]]; then
	# kbuild and kernel command lines split at blanks
	echo "${0##*/}: cannot work in a path with blanks: $URD_TOP, $URD_CACHE" >&2
	exit 2
fi

# --- messages ---------------------------------------------------------------
# say: progress for a person; die: one line and exit 1; usage_error: exit 2.
say()  { printf '%s\n' "$*" >&2; }
warn() { printf '%s: warning: %s\n' "${0##*/}" "$*" >&2; }
die()  { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
usage_error() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# run_logged NAME CMD...: run CMD with its output in $URD_LOGS/NAME.log, one
# line of progress on the terminal and the log's place and tail on failure.
run_logged() {
	local name=$1 log=$URD_LOGS/$1.log start=$SECONDS rc=0 pid
	local dot=$((SECONDS + 10))
	shift
	mkdir -p "$URD_LOGS"
	printf '    %-28s ' "$name ..." >&2
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		# a dot every ten seconds shows that it lives
		sleep 0.1
		if ((SECONDS >= dot)); then
			printf . >&2
			dot=$((SECONDS + 10))
		fi
	done
	wait $pid || rc=$?
	if ((rc)); then
		printf ' FAILED after %ds (status %d), log: %s\n' $((SECONDS - start)) $rc "$log" >&2
		tail -n 15 "$log" | sed 's/^/      | /' >&2
		return $rc
	fi
	printf ' done, %ds\n' $((SECONDS - start)) >&2
}

# --- counting ---------------------------------------------------------------
URD_PASSED=0 URD_FAILED=0 URD_SKIPPED=0
pass() { URD_PASSED=$((URD_PASSED + 1)); printf 'ok   %s\n' "$*"; }
fail() { URD_FAILED=$((URD_FAILED + 1)); printf 'FAIL %s\n' "$*"; }
skip() { URD_SKIPPED=$((URD_SKIPPED + 1)); printf 'skip %s\n' "$*"; }
# summary: the last line of a suite and its exit status
summary() {
	printf '%d passed, %d failed, %d skipped\n' $URD_PASSED $URD_FAILED $URD_SKIPPED
	((URD_FAILED == 0 && URD_PASSED > 0))
}

# --- locks and stamps -------------------------------------------------------
# with_lock NAME CMD...: CMD under a lock of the cache (two checkouts share it)
with_lock() {
	local lock=$URD_CACHE/$1.lock
	shift
	mkdir -p "$URD_CACHE"
	(
		if ! flock -n 9; then
			say "    waiting for another build ($lock)"
			flock 9
		fi
		"$@" 9>&-
	) 9>"$lock"
}

# --- kernels ----------------------------------------------------------------
# resolve_kernel WHAT: sets
#   K_NAME    short name, also the folder below build/
#   K_TYPE    qemu or uml
#   K_IMAGE   what boots (empty: only modules can be built)
#   K_KDIR    where modules are built against (empty: cannot be)
#   K_MODROOT folder holding lib/modules/$K_VER (may be empty)
#   K_VER     kernel release
#   K_ARCH    ARCH= for kbuild
# WHAT is 6.12, 6.1, uml, debug, an unpacked kernel package, a kernel build
# tree, headers, or a kernel image. $KDIR, if set, is where modules for an image
# are built against.
# shellcheck disable=SC2034 # the sourcing scripts read them
resolve_kernel() {
	local what=$1
	K_TYPE=qemu K_ARCH=x86_64 K_IMAGE='' K_KDIR='' K_MODROOT='' K_VER=''
	case $what in
	6.12 | 6.1) K_NAME=$what; kernel_from_package "$URD_CACHE/kernel-$what" ;;
	debug)      K_NAME=debug; kernel_from_tree "$URD_CACHE/kernel-debug/obj" ;;
	uml)        K_NAME=uml; kernel_from_tree "$URD_CACHE/kernel-uml/obj" ;;
	'')         usage_error "empty kernel name" ;;
	*)          [[ -e $what ]] ||
			usage_error "no such kernel: $what (6.12, 6.1, uml, debug, a folder or an image)"
		    what=$(readlink -f "$what")
		    K_NAME=$(kernel_name "$what")
		    kernel_from_path "$what" ;;
	esac
}

kernel_from_path() {
	local what=$1
	if [[ -f $what ]]; then
		kernel_from_image "$what"
	elif compgen -G "$what/boot/vmlinuz-*" >/dev/null; then
		kernel_from_package "$what"
	elif [[ -f $what/Makefile && -f $what/.config ]]; then
		kernel_from_tree "$what"
	else
		usage_error "neither an unpacked kernel package nor a configured kernel tree: $what"
	fi
}

# A name for somebody's own kernel: its last path part and a hash of the path.
kernel_name() {
	local sum
	sum=$(printf %s "$1" | cksum)
	printf '%s-%x' "$(basename "$1" | tr -c 'A-Za-z0-9.\n' -)" "${sum%% *}"
}

kernel_from_package() {
	local images=("$1"/boot/vmlinuz-*)
	[[ -e ${images[0]} ]] || die "no kernel in $1: run scripts/setup kernel-$K_NAME"
	K_IMAGE=${images[0]}
	K_VER=${K_IMAGE##*/vmlinuz-}
	K_MODROOT=$1
	K_KDIR=$1/lib/modules/$K_VER/build
	[[ -e $K_KDIR/Makefile ]] || K_KDIR=${KDIR:-}
}

# A build tree; also the headers of a distribution, which have no image.
# shellcheck disable=SC2034
kernel_from_tree() {
	local tree=$1
	[[ -f $tree/.config ]] || die "no kernel in $tree: run scripts/setup $K_NAME"
	K_KDIR=$tree
	K_IMAGE=$tree/arch/x86/boot/bzImage
	if grep -q '^CONFIG_UML=y' "$tree/.config"; then
		K_TYPE=uml K_ARCH=um K_IMAGE=$tree/linux
	fi
	[[ -f $K_IMAGE ]] || K_IMAGE=''
	K_VER=$(cat "$tree/include/config/kernel.release" 2>/dev/null || true)
	grep -q '^CONFIG_MODULES=y' "$tree/.config" || K_KDIR=''
}

# tree_modules: K_MODROOT for a build tree that boots; its modules are installed
# into the cache when they are newer there.
tree_modules() {
	local stamp
	[[ -n $K_KDIR && -z $K_MODROOT && -f $K_KDIR/modules.order ]] || return 0
	K_MODROOT=$URD_CACHE/modules/$K_NAME
	stamp=$K_MODROOT/.stamp
	[[ $stamp -nt $K_IMAGE && $stamp -nt $K_KDIR/modules.order ]] && return 0
	rm -rf "$K_MODROOT"
	mkdir -p "$K_MODROOT"
	run_logged "modules-$K_NAME" make -C "$K_KDIR" ARCH="$K_ARCH" \
		INSTALL_MOD_PATH="$K_MODROOT" modules_install || exit 1
	touch "$stamp"
}

kernel_from_image() {
	local image=$1 kind
	case $image in
	*/arch/*/boot/bzImage) kernel_from_tree "${image%/arch/*/boot/bzImage}"; return ;;
	*/linux) [[ -f ${image%/linux}/.config ]] && { kernel_from_tree "${image%/linux}"; return; } ;;
	esac
	kind=$(file -bL "$image")
	[[ $kind == *"boot executable bzImage"* ]] || usage_error "not a kernel image: $image"
	K_IMAGE=$image
	K_VER=$(sed -n 's/.*version \([^ ]*\) .*/\1/p' <<<"$kind")
	# /boot/vmlinuz-VER belongs to /lib/modules/VER, also below another root
	K_MODROOT=$(dirname "$(dirname "$image")")
	[[ -d $K_MODROOT/lib/modules/$K_VER ]] || K_MODROOT=''
	K_KDIR=${KDIR:-}
	if [[ -z $K_KDIR && -e $K_MODROOT/lib/modules/$K_VER/build/Makefile ]]; then
		K_KDIR=$K_MODROOT/lib/modules/$K_VER/build
	fi
}

# --- rdma-core --------------------------------------------------------------
# The tree the provider is built in: the cached one, or a shadow of RDMA_CORE.
rdma_core_tree() {
	if [[ -n ${RDMA_CORE:-} ]]; then
		[[ -f $RDMA_CORE/libibverbs/driver.h ]] || usage_error "RDMA_CORE=$RDMA_CORE is not an rdma-core tree"
		printf '%s/rdma-core-%s' "$URD_CACHE" "$(kernel_name "$(readlink -f "$RDMA_CORE")")"
	else
		printf '%s/rdma-core-%s' "$URD_CACHE" "$RDMA_CORE_VERSION"
	fi
}
