# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Builds with a planted cause, as in causes.sh, where another cause seems more likely: programs
# that always read random numbers or the clock, data that is the same in both builds, temporary
# files that are gone.  The planted cause must always be named first.

# ---- what the script says ----

plant time report.txt kept "python: a measured duration" <<'END'
@setup
cat > measure.py <<'END2'
import time
begin = time.perf_counter()
lines = sum(1 for _ in open("input"))
open("report.txt", "w").write("%d lines in %.9f s\n" % (lines, time.perf_counter() - begin))
END2
seq 1000 > input
@build
python3 measure.py
@needs
python3
END

plant random id.js kept "node: Math.random" <<'END'
@setup
echo 'require("fs").writeFileSync("id.js", "export const id = " + Math.random() + ";")' > id.cjs
@build
node id.cjs
@needs
node
END

plant time revision file "git: the time of a commit is in its hash" <<'END'
@setup
echo content > file
@build
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q .
git add file
git commit -q -m all
git rev-parse HEAD > revision
@between
sleep 1
@needs
git
END

# ---- order ----

plant random order.txt kept "python: a set, in a script that imports a module" <<'END'
@setup
cat > order.py <<'END2'
import json
print("; ".join({"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"}))
END2
@build
python3 order.py > order.txt
@needs
python3
END

plant environment order.txt kept "PYTHONHASHSEED, seen as another order" <<'END'
@setup
echo 'print(list({"a", "b", "c", "d", "e", "f", "g", "h"}))' > order.py
@build
python3 order.py > order.txt
@first
env PYTHONHASHSEED=1
@second
env PYTHONHASHSEED=2
@needs
python3
END

plant locale all.c kept "sort of a list of files" <<'END'
@setup
mkdir parts
for name in B a C b; do echo "int part_$name;" > parts/$name.c; done
@build
cat $(ls parts/*.c | sort) > all.c
@first
with_locales env LC_ALL=C
@second
with_locales env LC_ALL=en_US.UTF-8
@needs
english
END

plant unknown help.txt kept "python: lines wrapped differently are not another order" <<'END'
@setup
cat > help.py <<'END2'
import argparse
p = argparse.ArgumentParser(prog="x", description="word another " * 30)
open("help.txt", "w").write(p.format_help())
END2
@build
python3 help.py
@first
env COLUMNS=60
@second
env COLUMNS=140
@needs
python3
END

# ---- temporary files ----

plant random body.o build "gcc: __FILE__ of a source that mktemp named" <<'END'
@setup
echo 'const char *const file = __FILE__;' > body
@build
source=$(mktemp --suffix=.c)
cat body > "$source"
gcc -c -o body.o "$source"
rm "$source"
@needs
gcc mktemp
END

plant process-id part.o build "make and gcc -g: a source with a process id in its name" <<'END'
@setup
echo 'int part(void) { return 2; }' > part.c
printf 'part.o: part.c\n\tcp part.c tmp.$$$$.c && gcc -g -c -o part.o tmp.$$$$.c; rm tmp.$$$$.c\n' > Makefile
@build
make -s
@needs
gcc make
END

control out "an archive with times that is removed at the end" <<'END'
@setup
echo content > file
@build
cp file copy
gzip copy
gzip -dc copy.gz > out
rm copy.gz
@needs
gzip
END

# ---- files known to be the same in both builds, or causes that leave no trace ----

plant random id.txt build "python: a random identifier, read in another root directory" <<'END'
@setup
mkdir -p root/proc
cat > jail.py <<'PY'
import os
out = open("id.txt", "w")
os.chroot("root")
with open("/proc/sys/kernel/random/uuid") as uuid, open("/proc/cpuinfo") as cpus:
    out.write(cpus.readline() + uuid.read())
PY
@build
python3 -SIB jail.py
@first
with_proc
@second
with_proc
@needs
python3 root
END

plant random salt.h build "uname beside random numbers" <<'END'
@setup
cat > salt.sh <<'END2'
system=$(uname -s)
echo "#define SALT_OF_$system \"$(od -An -N 8 -t x8 /dev/urandom)\""
END2
@build
sh salt.sh > salt.h
@needs
od
END

plant environment answer.o build "a variable that make passes on, beside date and mktemp" <<'END'
@setup
echo 'int answer = ANSWER;' > answer.c
@build
log=$(mktemp)
echo "begun: $(date)" > "$log"
gcc -DANSWER="$PLANTED" -c answer.c
rm "$log"
@first
env PLANTED=1
@second
env PLANTED=2
@needs
gcc mktemp
END

plant environment day.o build "SOURCE_DATE_EPOCH beside __DATE__" <<'END'
@setup
echo 'const char day[] = __DATE__;' > day.c
@build
gcc -c day.c
@first
env SOURCE_DATE_EPOCH=1000000
@second
env SOURCE_DATE_EPOCH=2000000000
@needs
gcc
END

plant unknown modes.tar kept "tar: modes by umask, with its own times" <<'END'
@setup
cat > masked.sh <<'END2'
umask "$1"
shift
exec "$@"
END2
@build
mkdir tree
echo one > tree/one
tar --mtime=@0 --sort=name -cf modes.tar tree
@first
sh masked.sh 022
@second
sh masked.sh 077
@needs
tar
END

plant time image.cpio kept "cpio: times of fresh files, as hexadecimal digits" <<'END'
@setup
echo one > one.in
@build
mkdir root
cp one.in root/one
find root | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible > image.cpio
@between
sleep 1
@needs
cpio
END

# ---- files from before the build, recorded by one build only ----

plant input libparts.a build "ar: a member left from an earlier build" <<'END'
@setup
echo 'int part(void) { return 1; }' > part.c
@build
gcc -c part.c
ar rcD libparts.a part.o
@between
echo 'int old;' > ../old.c
gcc -c -o old.o ../old.c
ar rcD libparts.a old.o
rm old.o
@needs
gcc ar
END

plant input all build "sh: a pattern that matches one more file" <<'END'
@setup
mkdir parts
echo a > parts/a
@build
cat parts/* > all
@between
echo old > parts/old
@needs
cat
END

plant input limit.o build "gcc: the header is now in another directory, too" <<'END'
@setup
mkdir early late
echo '#define LIMIT 1' > late/limit.h
printf '#include <limit.h>\nint limit = LIMIT;\n' > limit.c
@build
gcc -Iearly -Ilate -c limit.c
@between
echo '#define LIMIT 2' > early/limit.h
@needs
gcc
END

plant listing-order list.h kept "ls -U, which does not sort, then sed" <<'END'
@setup
mkdir d
for n in one two three four; do echo $n > d/$n; done
@build
ls -U d | sed 's/.*/X(&)/' > list.h
@between
rm d/*
for n in three two four one; do echo $n > d/$n; done
@on
tmpfs
END

plant tool out.txt build "sh: a changed file of functions" <<'END'
@setup
echo 'f() { echo one; }' > lib.sh
printf '. ./lib.sh\nf > out.txt\n' > b.sh
@build
sh b.sh
@between
echo 'f() { echo two; }' > lib.sh
END

plant tool t.txt build "tclsh: a changed file of procedures" <<'END'
@setup
echo 'proc f {} { return one }' > lib.tcl
printf 'source lib.tcl\nputs [f]\n' > m.tcl
@build
tclsh m.tcl > t.txt
@between
echo 'proc f {} { return two }' > lib.tcl
@needs
tclsh
END

plant environment edition.h kept "an unrecorded variable, seen in differing words" <<'END'
@setup
cat > gen.c <<'END2'
#include <stdio.h>
#include <stdlib.h>
int main(void) { return printf("#define EDITION \"%s\"\n", getenv("EDITION")) < 0; }
END2
@build
gcc -o gen gen.c
./gen > edition.h
@first
env EDITION=small
@second
env EDITION=large
@needs
gcc
END

plant writer-order list.txt kept "python: threads" <<'END'
@setup
: > a.lock
: > b.lock
cat > t.py <<'END2'
import subprocess, threading
def job(name):
    subprocess.run(["flock", name + ".lock", "true"])
    with open("list.txt", "a") as out:
        out.write(name + "\n")
threads = [threading.Thread(target=job, args=(name,)) for name in "ab"]
for each in threads:
    each.start()
for each in threads:
    each.join()
END2
@build
python3 t.py
@first
with_lock b.lock list.txt
@second
with_lock a.lock list.txt
@needs
python3 flock
END

plant random tags kept "python: a set, beside a pool that keeps the order" <<'END'
@setup
cat > s.py <<'END2'
from concurrent.futures import ThreadPoolExecutor
names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
with ThreadPoolExecutor(2) as pool:
    big = list(pool.map(str.upper, names))
open("tags", "w").write("\n".join(set(big)))
END2
@build
python3 s.py
@needs
python3
END

plant process-id lock build "sh: the process id of a job" <<'END'
@build
true & echo "job $!" > lock
wait
END
