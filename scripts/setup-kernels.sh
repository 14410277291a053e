# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Kernel steps of scripts/setup; sourced by it.

# unpack_kernel SERIES: image, headers and kbuild of Debian's kernel, unpacked
# (never installed) into $URD_CACHE/kernel-SERIES.
unpack_kernel() {
	local series=$1 dir=$URD_CACHE/kernel-$1 headers rel kbuild debs
	[[ -f $dir/.stamp ]] && return 0
	private_apt
	headers=$(newest_headers "$series")
	[[ -n $headers ]] || die "no linux-headers-$series in the archive"
	rel=${headers#linux-headers-}
	kbuild=$(apt-cache show "$headers" | sed -n 's/^Depends:.*\(linux-kbuild-[^ ,]*\).*/\1/p' | head -n1)
	rm -rf "$dir" "$dir.debs"
	mkdir -p "$dir" "$dir.debs"
	run_logged "kernel-$series-fetch" apt_fetch_into "$dir.debs" "linux-image-$rel" "$headers" \
		"${headers%-amd64}-common" "$kbuild"
	debs=("$dir.debs"/*.deb)
	run_logged "kernel-$series-unpack" unpack_debs "$dir" "${debs[@]}"
	relocate_headers "$dir" "$rel"
	rm -rf "$dir.debs"
	echo "$rel" >"$dir/.stamp"
}

# Debian 12's own builds first: their kbuild tools run on its C library.
newest_headers() {
	local pattern all
	all=$(apt-cache pkgnames linux-headers-)
	for pattern in "linux-headers-${1//./\\.}\.[0-9.]+\+deb12(\.[0-9]+)?-amd64" \
		"linux-headers-${1//./\\.}\.[0-9.]+-[0-9]+-amd64" \
		"linux-headers-${1//./\\.}\.[0-9.]+\+deb13(\.[0-9]+)?-amd64"; do
		grep -xE "$pattern" <<<"$all" | sort -V | tail -n1 | grep . && return 0
	done
}

apt_fetch_into() {
	cd "$1" || return
	shift
	apt-get -q download "$@"
}

unpack_debs() {
	local dir=$1 deb
	shift
	for deb in "$@"; do
		dpkg -x "$deb" "$dir"
	done
}

# The packages name each other by absolute path; make that this folder.
relocate_headers() {
	local dir=$1 rel=$2
	sed -i "s,^include /usr/src/,include $dir/usr/src/," "$dir/usr/src/linux-headers-$rel/Makefile"
	ln -sfn "../../../usr/src/linux-headers-$rel" "$dir/lib/modules/$rel/build"
	ln -sfn "../../../usr/src/linux-headers-${rel%-amd64}-common" "$dir/lib/modules/$rel/source"
	ln -sfn "lib/modules/$rel/build" "$dir/build"
	/sbin/depmod -b "$dir" "$rel"
}

unpack_source() {
	local dir=$URD_CACHE/src ver
	[[ -f $dir/.stamp ]] && return 0
	private_apt
	# the version that the booted kernel package was built from
	step kernel-6.12
	ver=$(apt-cache madison linux-source-6.12 | awk '{print $3}' |
		grep -m1 -F "$(sed 's/[+-].*//' "$URD_CACHE/kernel-6.12/.stamp")") || die "no linux-source-6.12 in the archive"
	rm -rf "$dir"
	mkdir -p "$dir"
	run_logged source-fetch apt_fetch_into "$dir" "linux-source-6.12=$ver"
	run_logged source-unpack unpack_source_deb "$dir"
	echo "$ver" >"$dir/.stamp"
}

unpack_source_deb() {
	dpkg -x "$1"/linux-source-*.deb "$1/pkg"
	tar xf "$1"/pkg/usr/src/linux-source-6.12.tar.xz -C "$1"
	rm -rf "$1/pkg" "$1"/*.deb
}

# build_kernel uml|debug: configure over defconfig or tinyconfig and build.
build_kernel() {
	local name=$1 obj=$URD_CACHE/kernel-$1/obj config=$URD_TOP/scripts/config/$1.config
	local src=$URD_CACHE/src/linux-source-6.12 arch=x86_64 base=tinyconfig image=bzImage sum
	if [[ $name == uml ]]; then
		arch=um base=defconfig image=linux
	fi
	sum=$(cat "$config" "$URD_CACHE/src/.stamp" | sha256sum)
	[[ $(cat "$obj/.stamp" 2>/dev/null) == "$sum" ]] && return 0
	mkdir -p "$obj"
	rm -f "$obj/.stamp"
	run_logged "kernel-$name-config" configure_kernel "$src" "$obj" $arch $base "$config"
	run_logged "kernel-$name-build" nice -n 5 make -C "$src" O="$obj" ARCH=$arch \
		-j"$(nproc)" $image modules
	echo "$sum" >"$obj/.stamp"
}

configure_kernel() {
	local src=$1 obj=$2 arch=$3 base=$4 config=$5 line lost=0
	make -C "$src" O="$obj" ARCH="$arch" "$base"
	"$src/scripts/kconfig/merge_config.sh" -m -O "$obj" "$obj/.config" "$config"
	make -C "$src" O="$obj" ARCH="$arch" olddefconfig
	# options drop out silently when something they depend on is missing
	while read -r line; do
		[[ $line == CONFIG_* ]] || continue
		grep -qxF "$line" "$obj/.config" || { echo "lost: $line"; lost=1; }
	done <"$config"
	return $lost
}
