#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Create a small C project whose build starts some hundred processes of the usual
# kinds: recursive make, gcc, ar, scripts, links, moves, failures.
#
#	project.sh DIR [LIBRARIES [FILES [STEPS]]]
#
# "make -j2" in DIR builds it; it ends with status 0 and the line "all done".

set -eu
dir=$1 libs=${2:-2} files=${3:-4} steps=${4:-14}
mkdir -p "$dir"/include "$dir"/scripts "$dir"/tests
cd "$dir"

cat > include/common.h <<- 'END'
	#ifndef COMMON_H
	#define COMMON_H
	#define JOIN2(a, b) a##b
	#define JOIN(a, b) JOIN2(a, b)
	#endif
END

# Scripts of several kinds: with an argument for the interpreter, with another script as
# interpreter, in a language other than shell.
cat > scripts/stamp <<- 'END'
	#!/bin/sh -e
	echo "stamp of $1" > "$1.tmp"
	mv "$1.tmp" "$1"
END
printf '#!/bin/sh -u\nexit 0\n' > scripts/inner
printf '#!%s with an argument\n' "$PWD/scripts/inner" > scripts/nested
cat > scripts/config.pl <<- 'END'
	#!/usr/bin/perl -w
	open(my $f, ">", $ARGV[0]) or die;
	print $f "#define CONFIG 1\n";
	close($f);
	exit 0;
END
chmod +x scripts/*

{
	echo "all: done"
	echo "include/config.h:"
	echo "	./scripts/config.pl \$@"
	for l in $(seq "$libs"); do
		mkdir -p "lib$l"
		objs=
		for f in $(seq "$files"); do
			objs="$objs f$f.o"
			{
				echo '#include "common.h"'
				echo '#include "config.h"'
				echo "int JOIN(lib${l}_, f$f)(int x)"
				echo "{"
				echo "	return x * $l + $f + CONFIG;"
				echo "}"
			} > "lib$l/f$f.c"
		done
		{
			echo "CFLAGS = -O0 -I../include"
			echo "all: lib$l.a"
			echo "lib$l.a: $objs"
			echo "	rm -f \$@ && ar rcs \$@ $objs"
			echo "	ln -sf lib$l.a lib$l-link.a"
		} > "lib$l/Makefile"
		echo "lib$l/lib$l.a: include/config.h"
		echo "	+\$(MAKE) -C lib$l"
		{
			for f in $(seq "$files"); do echo "int lib${l}_f$f(int);"; done
			echo "int main(void) {"
			echo "	return lib${l}_f1(0) - $l * 0 - 2;"
			echo "}"
		} > "main$l.c"
		echo "main$l: main$l.c lib$l/lib$l.a"
		echo "	gcc -o \$@ main$l.c lib$l/lib$l-link.a"
		echo "	./\$@"
	done
	for t in $(seq "$steps"); do
		echo "tests/t$t:"
		# A typical small step of a build.
		echo "	./scripts/stamp tests/s$t; ./scripts/nested x$t;\\"
		echo "	sed s/stamp/test/ tests/s$t | sort > tests/u$t;\\"
		echo "	cp tests/u$t tests/c$t && install -m 755 tests/c$t tests/i$t"
		echo "	ln tests/i$t tests/l$t; ln -s ../tests/i$t tests/n$t"
		echo "	-@sh -c 'exit $t'"
		echo "	-@sh -c 'kill -9 \$\$\$\$'"
		echo "	touch \$@"
	done
	echo "done: $(seq -f 'main%g' -s ' ' "$libs") $(seq -f 'tests/t%g' -s ' ' "$steps")"
	echo "	@echo all done"
} > Makefile
