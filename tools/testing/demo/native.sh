#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A quick demo on this machine, without privileges: records the build of a small program with
# strace and queries the trace.

set -eu
cd "$(dirname "$0")/../../.."
etrace=${BUILD:-$PWD/build}/user/etrace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat > greet.h << 'END'
void greet(const char *whom);
END
cat > greet.c << 'END'
#include "greet.h"
#include <stdio.h>
void greet(const char *whom) { printf("Hello, %s\n", whom); }
END
cat > main.c << 'END'
#include "greet.h"
int main(void) { greet("world"); return 0; }
END
cat > Makefile << 'END'
greet: main.o libgreet.a
	gcc -o $@ $^
libgreet.a: greet.o
	ar rc $@ $^
END

# seconds COMMAND...: print the run time in hundredths of a second
seconds()
{
	local begun ended
	begun=$(date +%s%N)
	"$@" > log 2>&1 || { cat log; exit 1; }
	ended=$(date +%s%N)
	echo $(((ended - begun) / 10000000))
}
show()
{
	echo "\$ ${*/#$etrace/etrace}"
	"$@"
	echo
}

# once to warm the caches
make -s && rm -f ./*.o ./*.a greet
alone=$(seconds make -s)
rm -f ./*.o ./*.a greet
recorded=$(seconds "$etrace" run --backend=strace -o build.fxt -- make -s)
tail -n 2 log
echo
show "$etrace" deps --leaves build.fxt "$work/greet" | grep -v /usr/
show "$etrace" compdb build.fxt
show "$etrace" report build.fxt | head -n 16
printf 'The build took %d.%02d s alone, and %d.%02d s recorded by strace.\n' \
	$((alone / 100)) $((alone % 100)) $((recorded / 100)) $((recorded % 100))
echo "The module and BPF record the same at almost no cost: make demo."
