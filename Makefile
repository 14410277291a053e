# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Front door; the work is in scripts/. kbuild reads Kbuild, not this file.

# Modules are built against the running kernel's headers, else Debian's 6.12.
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) 6.12)
VERSION := 0.1.0
export RDMA_CORE

.DEFAULT_GOAL := all
# the scripts share two CPUs and one cache
.NOTPARALLEL:

define HELP
make                 module for this machine's kernel and the rdma-core provider
make modules         urd.ko into build/NAME/      KDIR=DIR|6.12|6.1|uml|debug
make provider        rdma-core with the provider  RDMA_CORE=DIR: your own tree
make demo            from nothing to verbs tools, rping and perftest in a guest
make check           every test                   make check-fast: in two minutes
make lint            checkpatch, sparse, W=1, -Wextra, shellcheck
make install         urd.ko into /lib/modules     KDIR=, INSTALL_MOD_PATH=
make dkms            a source tree for dkms in build/dkms/
make clean           remove build/                the cache stays (~/.cache/urd)
scripts/vm --help    boot a guest with it         scripts/setup --help: what it needs
endef

.PHONY: all modules provider demo check check-fast lint install modules_install dkms clean help

all: modules provider

help:
	$(info $(HELP))
	@:

modules:
	@scripts/setup packages $(filter kernel-% uml debug,$(KDIR:6.%=kernel-6.%))
	@scripts/build-module $(KDIR)

provider:
	@scripts/setup packages rdma-core

demo:
	@scripts/demo $(if $(filter command% environment%,$(origin KDIR)),$(KDIR))

check:
	@scripts/check

check-fast:
	@scripts/check --fast

lint:
	@scripts/lint

install: modules_install

modules_install: modules
	@scripts/install-module $(KDIR)

dkms:
	@scripts/dkms-tree $(VERSION)

clean:
	rm -rf build
