#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Objects of a kernel, compared with Kbuild's .cmd files and its gen_compile_commands.py.

. "${0%/*}/../lib.sh"

mkdir cmd
zstd -dcq "$FIXTURES/kernel/cmd.tar.zst" | tar -x -C cmd
etrace deps --direct --all --json "$FIXTURES/kernel/module.fxt.zst" > ours
check "the inputs of kernel objects are those in Kbuild's .cmd files" \
	"${0%/*}/../kbuild-deps" /build/linux cmd ours

# A wrong header in the truth is noticed.
sed -i "s|include/linux/gcd.h|include/linux/other.h|" cmd/lib/math/.gcd.o.cmd
ends 1 "kbuild-deps fails for a wrong header in a .cmd file" \
	"${0%/*}/../kbuild-deps" /build/linux cmd ours

etrace compdb "$FIXTURES/kernel/module.fxt.zst" > commands.json
# Ours may have more: compilers that were running when the build was stopped.
check "the compile commands of kernel objects are those of gen_compile_commands.py" \
	"${0%/*}/../same-commands" --part \
	"$FIXTURES/kernel/gen_compile_commands.json" commands.json
