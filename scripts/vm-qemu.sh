# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# How scripts/vm starts a guest: initramfs, accelerator, QEMU, user-mode Linux.
# Uses scripts/vm's variables.
# shellcheck disable=SC2154

# TCG emulates PCLMULQDQ, ERMS and FSRM so slowly that they drown what is measured.
TCG_CPU=max,-pclmulqdq,-erms,-fsrm

# --- initramfs: busybox, guest/init and the modules to reach the root ----------
# One file per kernel, made again when what goes in is newer.
make_initrd() {
	local file=$URD_CACHE/initrd/$K_NAME-$K_VER.cpio init=$URD_TOP/scripts/guest/init dir
	mkdir -p "$URD_CACHE/initrd"
	if [[ ! $file -nt $init || ! $file -nt $K_IMAGE || ! $file -nt ${BASH_SOURCE[0]} ]] ||
		! cmp -s "$init" "$file.init"; then
		dir=$(mktemp -d)
		mkdir "$dir"/{bin,mods,proc,sys,dev,ro,rw,out,new}
		cp "$(command -v busybox)" "$dir/bin/busybox"
		cp "$init" "$dir/init"
		[[ $K_TYPE == qemu && -n $K_MODROOT ]] && initrd_modules "$dir/mods"
		(cd "$dir" && find . | cpio --quiet -o -H newc) >"$file.$$"
		cp "$init" "$file.init"
		mv "$file.$$" "$file"
		rm -rf "$dir"
	fi
	echo "$file"
}

# Modules in load order, unpacked: busybox insmod does no xz.
initrd_modules() {
	local dir=$1 module file base
	: >"$dir/list"
	for module in virtio_pci 9pnet_virtio 9p overlay virtio_net virtio_rng; do
		while read -r file; do
			base=$(basename "${file%.xz}")
			base=${base%.zst}
			[[ -e $dir/$base ]] && continue
			case $file in
			*.xz) xz -dc "$file" ;;
			*.zst) zstd -dcq "$file" ;;
			*) cat "$file" ;;
			esac >"$dir/$base"
			echo "$base" >>"$dir/list"
		done < <(/sbin/modprobe -d "$K_MODROOT" -S "$K_VER" --show-depends "$module" 2>/dev/null |
			awk '$1 == "insmod" {print $2}')
	done
}

# --- accelerator ----------------------------------------------------------------
# /dev/kvm may open and yet be unable to run a kernel, so boot one and cache the
# answer for this boot of the host.
choose_accel() {
	if [[ -z $accel ]]; then
		accel=tcg
		kvm_works && accel=kvm
	fi
	if [[ -z $cpu ]]; then
		cpu=$TCG_CPU
		[[ $accel == kvm ]] && cpu=host
	fi
	return 0
}

kvm_works() {
	local key cache=$URD_CACHE/kvm
	[[ -r /dev/kvm && -w /dev/kvm ]] || return 1
	key="$(cat /proc/sys/kernel/random/boot_id) $K_VER $(qemu-system-x86_64 --version | head -n1)"
	if ! grep -qsF "$key " "$cache"; then
		say "vm: trying whether KVM can boot a kernel here"
		if kvm_boots 2>/dev/null; then
			echo "$key yes"
		else
			echo "$key no"
		fi >>"$cache"
	fi
	grep -qxF "$key yes" "$cache"
}

kvm_boots() {
	local dir pid i answer=1
	dir=$(mktemp -d)
	mkdir "$dir"/{root,root/bin,root/dev}
	cp "$(command -v busybox)" "$dir/root/bin/busybox"
	printf '#!/bin/busybox sh\n/bin/busybox mount -t devtmpfs d /dev\necho KVM-OK >/dev/ttyS0\n/bin/busybox poweroff -f\n' \
		>"$dir/root/init"
	chmod +x "$dir/root/init"
	(cd "$dir/root" && find . | cpio --quiet -o -H newc) >"$dir/initrd"
	qemu-system-x86_64 -machine q35 -accel kvm -cpu host -smp 2 -m 512 -nodefaults -no-user-config \
		-display none -no-reboot -serial "file:$dir/console" -kernel "$K_IMAGE" -initrd "$dir/initrd" \
		-append "console=ttyS0 panic=-1 quiet" >"$dir/log" 2>&1 </dev/null &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		grep -qs KVM-OK "$dir/console" && answer=0 && break
		grep -qs 'KVM internal error' "$dir/log" && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.2
	done
	kill $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	rm -rf "$dir"
	return $answer
}

# A guest goes when this script goes, however it goes.
GUARD=(setpriv --pdeathsig TERM --)

# --- guests ---------------------------------------------------------------------
kernel_arguments() {
	local node=$1 host=$2 level=5
	((verbose)) && level=7
	printf '%s ' console=ttyS0 panic=-1 oops=panic no_timer_check "loglevel=$level" net.ifnames=0 \
		rcupdate.rcu_cpu_stall_timeout=60 watchdog_thresh=30 workqueue.watchdog_thresh=90 \
		"urd.host=$host" "urd.out=$out" "urd.node=$node" "urd.modules=$K_MODROOT" \
		"urd.start=$URD_TOP/scripts/guest/start"
	printf '%s' "$append"
}

# The nodes' wire is a unix socket, which needs no free port. Node 2 starts first
# and listens.
wire() {
	local i
	if (($1 == 2)); then
		echo "stream,id=wire,server=on,addr.type=unix,addr.path=$sockets/wire"
		return
	fi
	for ((i = 0; i < 100; i++)); do
		[[ -S $sockets/wire ]] && break
		sleep 0.1
	done
	echo "stream,id=wire,server=off,addr.type=unix,addr.path=$sockets/wire"
}

start_qemu() {
	local node=$1 tty=(-serial null) args
	args=(-machine q35 -accel "$accel$([[ $accel == tcg ]] && echo ,thread=multi)"
		-cpu "$cpu" -smp "$smp" -m "$mem" -nodefaults -no-user-config -display none -no-reboot
		-kernel "$K_IMAGE" -initrd "$initrd"
		-append "$(kernel_arguments "$node" 9p)"
		-virtfs "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"
		-virtfs "local,path=$out,mount_tag=out,security_model=none"
		-device virtio-rng-pci
		-serial "file:$vm/console.$node")
	if ((nodes == 2)); then
		args+=(-netdev "$(wire "$node")"
			-device "virtio-net-pci,netdev=wire,mac=52:54:00:77:00:0$node,romfile=")
	fi
	if ((node == 1)); then
		tty=(-chardev "stdio,id=tty,signal=$( ((interactive)) && echo off || echo on)" -serial chardev:tty)
	fi
	if ((interactive && node == 1)); then
		"${GUARD[@]}" qemu-system-x86_64 "${args[@]}" "${tty[@]}" <&"$stdin" 2>"$vm/qemu.$node" &
	else
		"${GUARD[@]}" qemu-system-x86_64 "${args[@]}" "${tty[@]}" </dev/null 2>"$vm/qemu.$node" &
	fi
	pids=($! "${pids[@]}")
}

start_uml() {
	local con=fd:3,fd:1
	# shellcheck disable=SC2046 # one word each
	"${GUARD[@]}" "$K_IMAGE" "mem=${mem}M" "initrd=$initrd" con=null con0=$con ssl=null \
		"ssl0=null,fd:4" "umid=urd$$" "uml_dir=$vm" $(kernel_arguments "$1" hostfs) \
		3<&"$stdin" 4>>"$vm/console.$1" 2>"$vm/qemu.$1" &
	pids=($!)
}
