#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which programs of a build are compilers, and what they compiled: small builds, recorded here with
# strace.

. "${0%/*}/../lib.sh"

begin_builds

# ---- only programs that ran count ----

build "arguments" "a compiler's command as arguments of other programs has no entry" <<'END'
/bin/echo gcc -c a.c -o never.o
/usr/bin/env printf gcc -c b.c
true gcc -c a.c
bash -c : gcc -c a.c
perl -e 1 gcc -c a.c
python3 -c 1 gcc -c a.c
printf '#!/bin/sh\nexit 0\n' > logit
chmod +x logit
./logit gcc -c b.c -o nope.o
ccache gcc --version
END

build "targets" "make and ninja with targets named like compilers have no entries" <<'END'
printf 'cc all: a.o\na.o:\n\tgcc -c a.c\n' > Makefile
make cc all
printf 'rule cc\n command = gcc -c $in -o $out\nbuild clang: cc b.c\n' > build.ninja
ninja clang
= a.c a.o gcc -c a.c
= b.c clang gcc -c b.c -o clang
END

build "names" "scripts and links named like compilers count only if they run one" <<'END'
mkdir bin
printf '#!/bin/sh\nexit 0\n' > bin/gcc
ln -s /bin/true bin/clang
printf '#!/bin/bash\n/usr/bin/gcc -DW "$@"\n' > bin/cc
printf 'import os, sys\nos.execvp("clang", ["clang", "-DPY"] + sys.argv[1:])\n' > bin/emcc.py
chmod +x bin/*
bin/gcc -c a.c
bin/clang -c a.c
bin/cc -c a.c
sh bin/cc -c b.c
python3 bin/emcc.py -c a.c -o py.o
bash -c 'exec -a /usr/bin/g++ gcc -c a.c -o called.o'
= a.c a.o /usr/bin/gcc -DW -c a.c
= b.c b.o /usr/bin/gcc -DW -c b.c
= a.c py.o clang -DPY -c a.c -o py.o
= a.c called.o /usr/bin/g++ -c a.c -o called.o
END

build "wrappers" "entries have the compiler's command without its wrappers" <<'END'
export CCACHE_DIR=$PWD/cache CCACHE_DISABLE=
unset CCACHE_DISABLE
nice -n 5 gcc -c a.c -o nice.o
env A=1 gcc -c a.c -o env.o
timeout 600 ccache gcc -c a.c -o cold.o
ccache gcc -c a.c -o warm.o
mkdir bin
ln -s "$(command -v ccache)" bin/gcc
bin/gcc -c b.c
ln -s /usr/bin/env icecc
printf '#!/bin/sh\ntrue "$1"; CCACHE_RECACHE=1 exec ccache gcc "$@"\n' > mpicc
chmod +x mpicc
CCACHE_RECACHE=1 CCACHE_PREFIX=$PWD/icecc ccache gcc -c a.c -o nested.o
./mpicc -c b.c -o within.o
$(ldd /bin/true | sed -n 's,^[^/]*\(/[^ ]*/ld-[^ ]*\).*,\1,p') --inhibit-rpath x "$(command -v gcc)" -c b.c -o loaded.o
nice no-such-gcc -c a.c || true
libtool --tag=CC --mode=compile gcc -c a.c -o a.lo
= a.c nice.o gcc -c a.c -o nice.o
= a.c env.o gcc -c a.c -o env.o
= a.c cold.o gcc -c a.c -o cold.o
= a.c warm.o gcc -c a.c -o warm.o
= b.c b.o bin/gcc -c b.c
= a.c nested.o gcc -c a.c -o nested.o
= b.c within.o gcc -c b.c -o within.o
= b.c loaded.o */gcc -c b.c -o loaded.o
= a.c .libs/a.o gcc -c a.c -fPIC -DPIC -o .libs/a.o
= a.c a.o gcc -c a.c -o a.o
END

build "with wrappers" "--wrappers keeps wrappers in the entries" --wrappers <<'END'
export CCACHE_DIR=$PWD/cache
unset CCACHE_DISABLE
nice -n 5 gcc -c a.c
ccache gcc -c b.c
printf '#!/bin/sh\nexec gcc -DW "$@"\n' > mpicc
chmod +x mpicc
./mpicc -c main.c
= a.c a.o nice -n 5 gcc -c a.c
= b.c b.o ccache gcc -c b.c
= main.c main.o ./mpicc -c main.c
END

# ---- what a command compiles ----

build "sources" "each source that is compiled has an entry" <<'END'
gcc -c a.c b.c
gcc -fsyntax-only main.c
clang -fsyntax-only -Wall main.c
g++ a.h
gcc -E a.c > a.i
gcc -M a.c > /dev/null
gcc -c a.i -o i.o
gcc -xc - -c -o in.o < a.c
gcc -S a.c
gcc -save-temps -c b.c -o saved.o
printf 'nop\n' > s.s
cp s.s t.S
gcc -c s.s t.S
gcc -c none.c || true
mkdir below
cd below
gcc -S ../a.c -o - > a.s
clang -c ../b.c -o- > b.o
= a.c - gcc -S ../a.c -o -
= b.c - clang -c ../b.c -o-
= a.c a.o gcc -c a.c
= b.c b.o gcc -c b.c
= main.c - gcc -fsyntax-only main.c
= main.c - clang -fsyntax-only -Wall main.c
= a.h a.h.gch g++ a.h
= a.i i.o gcc -c a.i -o i.o
= a.c a.s gcc -S a.c
= b.c saved.o gcc -save-temps -c b.c -o saved.o
= s.s s.o gcc -c s.s
= t.S t.o gcc -c t.S
= none.c none.o gcc -c none.c
END

build "links" "--links lists links besides compilations" --links <<'END'
gcc -c a.c b.c
gcc main.c a.o b.o -o main
gcc -c main.c
gcc -Wl,-Map,map main.o a.o b.o -o linked
ld -r -M --defsym x=1 a.o b.o -o ab.o > /dev/null
ar rcs ab.a a.o b.o
= a.c a.o gcc -c a.c
= b.c b.o gcc -c b.c
= main.c main.o gcc -c main.c
= main.c main gcc main.c a.o b.o -o main
= main.c main gcc main.c a.o b.o -o main
= main.o linked gcc -Wl,-Map,map main.o a.o b.o -o linked
= a.o ab.o ld -r -M --defsym x=1 a.o b.o -o ab.o
= a.o ab.a ar rcs ab.a a.o b.o
END

# ---- @files ----

build "@files" "entries have the @file's content at the time of their command" <<'END'
for s in a b; do
	echo "-DONLY_$s -c $s.c -o $s.o" > cmd.rsp
	gcc @cmd.rsp
done
for s in a b; do
	echo "-DI_$s" > flags.rsp
	gcc @flags.rsp -c $s.c -o 2$s.o
done
echo "-DI_later" > flags.rsp
echo '-DQ="x y" @more.rsp' > nested.rsp
echo "-c main.c" > more.rsp
gcc @nested.rsp
for s in a b; do
	printf '%s\n' "-I$s -I\"in $s\" '-DT=\"it'\\''s\"'" > flags.rsp
	gcc -Wall @flags.rsp -Iall -c $s.c -o 3$s.o
done
rm flags.rsp
= a.c 3a.o gcc -Wall -I a -I in a -D T="it's" -I all -c -o 3a.o * a.c
= b.c 3b.o gcc -Wall -I b -I in b -D T="it's" -I all -c -o 3b.o * b.c
= a.c a.o gcc -D ONLY_a -c -o a.o * a.c
= b.c b.o gcc -DONLY_b -c b.c -o b.o
= a.c 2a.o gcc -D I_a -c -o 2a.o * a.c
= b.c 2b.o gcc -D I_b -c -o 2b.o * b.c
= main.c main.o gcc -DQ=x y -c main.c
END

build "lost @files" "a changed @file with unknown content is reported" <<'END'
echo "-DX -c a.c" > cmd.rsp
clang @cmd.rsp
rm cmd.rsp
! an @file has changed since it was read
END

# ---- the compiler proper has the last word ----

build "disagreement" "if driver and compiler disagree, the compiler's source counts" -v <<'END'
mkdir bin
printf '#!/bin/sh\nexec cat b.c\n' > bin/cc1
printf '#!/bin/sh\nbin/cc1 -quiet b.c -o /dev/null\n' > bin/gcc
chmod +x bin/*
bin/gcc -c a.c > /dev/null
= b.c b.o bin/gcc -c b.c
! does not show that it compiles
END
