# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Builds with a planted cause that makes their output differ each time.  Sourced by
# tests/why_different.sh, which has plant() and control().
#
#	plant CAUSE OUTPUT ASKED NAME < SECTIONS
#	control OUTPUT NAME < SECTIONS
#
# CAUSE is what etrace why-different should name first.  OUTPUT is the file that should differ.
# ASKED is "file" if the question is about OUTPUT, "build" if it is about the whole build, and
# "kept" if the output of the first build is also compared.
#
# A section begins with a line "@SECTION"; it is empty if that line is missing:
#
#	@setup		shell commands (sh -e), with the test's directory as $TOP; not recorded
#	@build		shell commands (sh -e); recorded twice
#	@between	as @setup, before the second recording
#	@first		words before the first recording's command: env V=1, a function of the test
#	@second		the same for the second recording
#	@in		two directories to build in; default: "tree tree"
#	@on		"tmpfs" if the order of directory entries matters
#	@needs		programs and functions of the test; without them, the plant is skipped
#
# The builds refer to their directory by relative names, so that its path does not get into them by
# accident.

# ---- time ----

plant time banner.o file "gcc: __DATE__ and __TIME__" <<'END'
@setup
echo 'const char banner[] = "built " __DATE__ " " __TIME__;' > banner.c
@build
gcc -O1 -c banner.c
@needs
gcc
END

plant time notes.gz file "gzip: the time of a file that the build made" <<'END'
@setup
printf '%s\n' 'one' '# two' 'three' > notes.in
@build
grep -v '^#' notes.in > notes
gzip -k notes
@needs
gzip
END

plant time dist.tar build "tar: times of fresh files" <<'END'
@setup
echo one > one
echo two > two
@build
mkdir dist
cp one two dist
tar --sort=name --owner=0 --group=0 --numeric-owner -cf dist.tar dist
@needs
tar
END

plant time libparts.a file "ar: times of fresh objects (U)" <<'END'
@setup
echo 'int one(void) { return 1; }' > one.c
echo 'int one(void); int main(void) { return one() - 1; }' > main.c
@build
gcc -c one.c
ar crU libparts.a one.o
gcc -o app main.c libparts.a
@needs
gcc ar
END

plant time app file "date in a header, then compiler and linker" <<'END'
@setup
printf '#include <stdio.h>\n#include "built.h"\nint main(void) { return puts(BUILT) < 0; }\n' > main.c
cat > Makefile <<'END2'
app: main.o
	gcc -o app main.o
main.o: main.c built.h
	gcc -c main.c
built.h:
	echo "#define BUILT \"$$(date)\"" > built.h
END2
@build
make -s
@needs
gcc make
END

plant time manifest.json build "python: time.time()" <<'END'
@setup
cat > manifest.py <<'END2'
import json, sys, time
json.dump({"files": sorted(sys.argv[1:]), "built": time.time()}, open("manifest.json", "w"))
END2
echo a > a
echo b > b
@build
python3 manifest.py a b
@needs
python3
END

plant time tool.pyc file "python: a module's time in its byte code" <<'END'
@setup
echo 'VALUE = 3' > tool.py
touch -d '2024-02-03 04:05:06' tool.py
@build
python3 -c 'import py_compile; py_compile.compile("tool.py", "tool.pyc", dfile="tool.py")'
@between
touch tool.py
@needs
python3
END

# ---- random ----

plant random names.o file "python: the order of a set, then a compiler" <<'END'
@setup
cat > names.py <<'END2'
words = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"}
print("const char *const names[] = {")
for word in words:
    print('\t"%s",' % word)
print("};")
END2
@build
python3 names.py > names.c
gcc -c names.c
@needs
python3 gcc
END

plant random image.json build "python: uuid4" <<'END'
@setup
cat > image.py <<'END2'
import json, uuid
with open("image.json", "w") as out:
    json.dump({"name": "image", "id": str(uuid.uuid4())}, out)
END2
echo payload > payload
@build
tr a-z A-Z < payload > upper
python3 image.py
@needs
python3
END

plant random table.h file "perl: the order of a hash" <<'END'
@setup
cat > table.pl <<'END2'
my %number = (one => 1, two => 2, three => 3, four => 4, five => 5, six => 6, seven => 7,
	      eight => 8, nine => 9, ten => 10);
print "#define \U$_\E $number{$_}\n" for keys %number;
END2
@build
perl table.pl > table.h
@needs
perl
END

plant random parser.o file "mktemp: a directory name in debug information" <<'END'
@setup
echo 'int parse(int c) { return c == 1; }' > parser.in
@build
dir=$(mktemp -d)
sed 's/c == 1/c == 2/' parser.in > "$dir/parser.c"
gcc -g -c -o parser.o "$dir/parser.c"
rm -r "$dir"
@needs
gcc
END

plant random fast.o file "gcc -flto: names of sections" <<'END'
@setup
echo 'int fast(int x) { return x + 1; }' > fast.c
@build
gcc -O1 -flto -c fast.c
@needs
gcc
END

plant random salt.h build "a salt from /dev/urandom" <<'END'
@build
salt=$(head -c 8 /dev/urandom | od -An -tx8 | tr -d ' ')
echo "#define SALT 0x${salt}u" > salt.h
END

# ---- process-id ----

plant process-id lexer.o file "sh: \$\$ in the name of a temporary source" <<'END'
@setup
echo 'int lex(int c) { return c == 1; }' > lexer.in
@build
sed 's/c == 1/c == 2/' lexer.in > lexer-$$.c
gcc -c -o lexer.o lexer-$$.c
rm lexer-$$.c
@needs
gcc
END

plant process-id worker.log build "python: os.getpid() in a log" <<'END'
@setup
cat > worker.py <<'END2'
import os
with open("worker.log", "w") as log:
    log.write("worker %d: 3 files\n" % os.getpid())
END2
@build
python3 worker.py
@needs
python3
END

# ---- host ----

plant host app file "uname -n in a banner, then compiler and linker" <<'END'
@setup
printf '#include <stdio.h>\nint main(void) { return puts(HOST) < 0; }\n' > main.c
cat > Makefile <<'END2'
app: main.o
	gcc -o app main.o
main.o: main.c host.h
	gcc -include host.h -c main.c
host.h:
	echo "#define HOST \"$$(uname -n)\"" > host.h
END2
@build
make -s
@second
other_host
@needs
gcc make other_host
END

plant host config.mk build "uname -r in a configuration" <<'END'
@build
echo "KERNEL = $(uname -r)" > config.mk
@second
setarch --uname-2.6
@needs
setarch other_release
END

plant host build-info.json build "python: platform.node()" <<'END'
@setup
cat > info.py <<'END2'
import json, platform
with open("build-info.json", "w") as out:
    json.dump({"host": platform.node(), "version": "1.0"}, out)
END2
@build
python3 info.py
@second
other_host
@needs
python3 other_host
END

# ---- processors ----

plant processors config.h file "nproc in a configuration" <<'END'
@setup
echo '#define WORKERS @jobs@' > config.h.in
@build
sed "s/@jobs@/$(nproc)/" config.h.in > config.h
@second
taskset -c 0
@needs
nproc two_processors
END

plant processors shards build "python: one shard per processor" <<'END'
@setup
cat > shards.py <<'END2'
import os
names = ["one", "two", "three", "four", "five", "six"]
count = len(os.sched_getaffinity(0))
with open("shards", "w") as out:
    for n in range(count):
        print(*names[n::count], file=out)
END2
@build
python3 shards.py
@second
taskset -c 0
@needs
python3 two_processors
END

# ---- locale ----

plant locale words.o file "sort with another LANG, then a compiler" <<'END'
@setup
printf '%s\n' '"apple",' '"Banana",' '"cherry",' '"Date",' > words
@build
(echo 'const char *const words[] = {'; sort words; echo '};') > words.c
gcc -c words.c
@first
with_locales env LANG=C
@second
with_locales env LANG=en_US.UTF-8
@needs
gcc english
END

plant locale warnings file "gcc: quotes in warnings" <<'END'
@setup
echo 'static int unused; int f(void) { return 0; }' > f.c
@build
gcc -Wall -c f.c 2> warnings
@first
env LANG=C
@second
env LANG=C.UTF-8
@needs
gcc utf8
END

plant locale title build "sed: a line below a title" <<'END'
@setup
printf 'R\303\251sum\303\251\n' > title.in
@build
cp title.in title
sed 's/./=/g' title.in >> title
@first
env LC_ALL=C
@second
env LC_ALL=C.UTF-8
@needs
utf8
END

# ---- environment ----

plant environment about file "USER" <<'END'
@setup
echo 'built by @user@' > about.in
@build
sed "s/@user@/$USER/" about.in > about
@first
env USER=alice
@second
env USER=builder
END

plant environment app file "CFLAGS that make passes on" <<'END'
@setup
echo 'int twice(int x) { return 2 * x; } int main(void) { return twice(0); }' > main.c
cat > Makefile <<'END2'
app: main.o
	gcc -o app main.o
main.o: main.c
	gcc $(CFLAGS) -c main.c
END2
@build
make -s
@first
env CFLAGS=-O0
@second
env CFLAGS=-O2
@needs
gcc make
END

plant environment released build "TZ, with the same time" <<'END'
@setup
echo text > changes
touch -d '2024-02-03 04:05:06 UTC' changes
@build
date -r changes '+%Y-%m-%d %H:%M' > released
@first
env TZ=UTC
@second
env TZ=JST-9
END

# ---- build-path ----

plant build-path part.o build "gcc -g" <<'END'
@setup
echo 'int part(void) { return 1; }' > part.c
@build
gcc -g -c part.c
@in
tree work
@needs
gcc
END

plant build-path place.o build "__FILE__" <<'END'
@setup
mkdir src
echo 'const char place[] = __FILE__;' > src/place.c
cat > Makefile <<'END2'
place.o: $(CURDIR)/src/place.c
	gcc -c -o $@ $<
END2
@build
make -s
@in
tree build-1
@needs
gcc make
END

plant build-path app build "a path to libraries in a program" <<'END'
@setup
echo 'int value(void) { return 0; }' > value.c
echo 'int value(void); int main(void) { return value(); }' > main.c
@build
gcc -shared -fPIC -o libvalue.so value.c
gcc -c main.c
gcc -o app main.o -L. -lvalue -Wl,-rpath,"$PWD"
@in
tree other
@needs
gcc
END

plant build-path paths.h build "the directory in a generated header" <<'END'
@setup
echo '#define DATA "@top@/data"' > paths.h.in
@build
sed "s|@top@|$(pwd)|" paths.h.in > paths.h
@in
first-tree second-tree
END

# ---- listing-order ----

plant listing-order all.txt file "find and cat" <<'END'
@setup
mkdir parts
for n in one two three four; do echo $n > parts/$n; done
@build
find parts -type f | xargs cat > all.txt
@between
cp -rp parts ../saved
rm parts/*
for n in two four one three; do cp -p ../saved/$n parts; done
@on
tmpfs
@needs
find
END

plant listing-order index.json build "python: os.listdir()" <<'END'
@setup
mkdir pages
for n in one two three four; do echo $n > pages/$n; done
cat > index.py <<'END2'
import json, os
with open("index.json", "w") as out:
    json.dump(os.listdir("pages"), out)
END2
@build
python3 index.py
@between
rm pages/*
for n in three two four one; do echo $n > pages/$n; done
@on
tmpfs
@needs
python3
END

plant listing-order data.tar file "tar without --sort" <<'END'
@setup
mkdir data
for n in one two three four; do echo $n > data/$n; done
@build
tar --mtime=@0 --owner=0 --group=0 --numeric-owner -cf data.tar data
@between
rm data/*
for n in four two one three; do echo $n > data/$n; done
@on
tmpfs
@needs
tar
END

plant listing-order app build "sources in the order of find, then a linker" <<'END'
@setup
mkdir src
echo 'int a(void) { return 1; }' > src/a.c
echo 'int b(void) { return 2; }' > src/b.c
echo 'int a(void); int b(void); int main(void) { return a() + b() - 3; }' > src/main.c
@build
mkdir obj
for n in a b main; do gcc -c -o obj/$n.o src/$n.c; done
gcc -o app $(find src -name '*.c' | sed 's|^src/|obj/|; s|c$|o|')
@between
cp -rp src ../saved
rm src/*
for n in main b a; do cp -p ../saved/$n.c src; done
@on
tmpfs
@needs
gcc find
END

# ---- writer-order ----
# Locks that the test holds decide which job is first: "with_lock LOCK FILE" keeps one until FILE is
# not empty.

plant writer-order log file "two jobs of a shell that append to a log" <<'END'
@setup
: > a.lock
: > b.lock
@build
(flock a.lock true; echo 'a: done' >> log) &
(flock b.lock true; echo 'b: done' >> log) &
wait
@first
with_lock b.lock log
@second
with_lock a.lock log
@needs
flock
END

plant writer-order build.log file "make -j2: two rules that append to a log" <<'END'
@setup
: > a.lock
: > b.lock
echo 'int a;' > a.c
echo 'int b;' > b.c
cat > Makefile <<'END2'
all: a.o b.o
%.o: %.c
	@flock $*.lock gcc -c $<
	@echo "CC $<" >> build.log
END2
@build
make -s -j2
@first
with_lock b.lock build.log
@second
with_lock a.lock build.log
@needs
flock make gcc
END

plant writer-order make.log build "make -j2 and tee" <<'END'
@setup
: > one.lock
: > two.lock
cat > Makefile <<'END2'
all: one two
one two:
	@flock $@.lock echo "making $@"
END2
@build
make -s -j2 2>&1 | tee make.log
@first
with_lock two.lock make.log
@second
with_lock one.lock make.log
@needs
flock make
END

plant writer-order results.gz file "xargs -P2 into one file, then gzip" <<'END'
@setup
: > x.lock
: > y.lock
printf '#!/bin/sh\nflock $1.lock true\necho "$1: passed"\n' > job
chmod +x job
@build
printf 'x\ny\n' | xargs -P2 -n1 ./job > results
gzip -nk results
@first
with_lock y.lock results
@second
with_lock x.lock results
@needs
flock xargs gzip
END

# ---- tool ----

plant tool app file "a changed script, then compiler and linker" <<'END'
@setup
printf '#!/bin/sh\necho "#define N 1"\n' > generate
chmod +x generate
printf '#include "n.h"\nint main(void) { return N; }\n' > main.c
cat > Makefile <<'END2'
app: main.o
	gcc -o app main.o
main.o: main.c n.h
	gcc -c main.c
n.h: generate
	./generate > n.h
END2
@build
make -s
@between
sed -i 's/N 1/N 2/' generate
@needs
gcc make
END

plant tool table build "a changed library of a generator" <<'END'
@setup
mkdir tools
echo 'int value(void) { return 1; }' | gcc -shared -fPIC -o tools/libvalue.so -xc -
printf '#include <stdio.h>\nint value(void);\nint main(void) { return printf("%%d\\n", value()) < 0; }\n' |
	gcc -o tools/table -xc - -Ltools -lvalue -Wl,-rpath,'$ORIGIN'
@build
tools/table > table
@between
echo 'int value(void) { return 2; }' | gcc -shared -fPIC -o tools/libvalue.so -xc -
@needs
gcc
END

plant tool packed.out file "a changed program of the same size and time" <<'END'
@setup
mkdir tools
cat > pack.c <<'END2'
#include <stdio.h>
int main(void)
{
	int c;

	while ((c = getchar()) != EOF)
		putchar(c ^ KEY);
	return 0;
}
END2
gcc -DKEY=1 -o tools/pack pack.c
echo data > data
@build
tools/pack < data > packed
cp packed packed.out
@between
gcc -DKEY=2 -o new pack.c
touch -r tools/pack new
mv new tools/pack
@needs
gcc
END

plant tool version.h build "a changed script of perl" <<'END'
@setup
echo 1.2 > version
cat > header.pl <<'END2'
my $version = <STDIN>;
chomp $version;
print "#define VERSION \"$version\"\n";
END2
@build
perl header.pl < version > version.h
@between
sed -i 's/VERSION/RELEASE/' header.pl
@needs
perl
END

# ---- input ----

plant input app file "a changed header, then compiler and linker" <<'END'
@setup
echo '#define N 1' > n.h
printf '#include "n.h"\nint main(void) { return N; }\n' > main.c
@build
gcc -c main.c
gcc -o app main.o
@between
echo '#define N 2' > n.h
@needs
gcc
END

plant input about build "a changed text of the same size and time" <<'END'
@setup
echo 1.2 > version
@build
cat version > about
@between
touch -r version ../stamp
echo 1.3 > version
touch -r ../stamp version
END

# ---- network, memory, unknown ----

plant network list.txt file "curl from a server" <<'END'
@setup
echo 'http://127.0.0.1:'$(cat "$TOP/port")/list > address
echo one > "$TOP/served/list"
@build
curl -sS -o fetched $(cat address)
sort fetched > list.txt
@between
echo two > "$TOP/served/list"
@needs
curl server
END

plant memory limits.h file "free memory in a configuration" <<'END'
@build
awk '/^MemFree:/ { print "#define MEMORY", $2 }' /proc/meminfo > limits.h
@between
head -c 10000000 /dev/zero > ../large
@needs
awk
END

plant unknown symbols file "the address of a function" <<'END'
@setup
printf '#include <stdio.h>\nint main(void) { return printf("main %%p\\n", (void *)main) < 0; }\n' |
	gcc -fPIE -pie -o show -xc -
@build
./show > symbols
@needs
gcc random_addresses
END

plant unknown record build "uninitialized memory" <<'END'
@setup
cat > record.c <<'END2'
#include <unistd.h>

struct record { char kind; void *next; long size; };

__attribute__((noinline)) static int record_write(void)
{
	struct record r;

	r.kind = 1;
	r.size = 2;
	__asm__ volatile("" : : "r"(&r) : "memory");
	return write(1, &r, sizeof(r)) < 0;
}

__attribute__((noinline)) static void record_before(void)
{
	void *volatile held[8];
	int i;

	for (i = 0; i < 8; i++)
		held[i] = (void *)&held[i];
}

int main(void)
{
	record_before();
	return record_write();
}
END2
gcc -O1 -o write-record record.c
@build
./write-record > record
@needs
gcc random_addresses
END

# ---- nothing ----

control app "the same build again" <<'END'
@setup
echo 'int part(void) { return 0; }' > part.c
echo 'int part(void); int main(void) { return part(); }' > main.c
cat > Makefile <<'END2'
app: main.o part.o
	gcc -o app main.o part.o
END2
@build
make -s
@needs
gcc make
END

control part.o "a header that was only touched" <<'END'
@setup
echo '#define N 1' > n.h
printf '#include "n.h"\nint part(void) { return N; }\n' > part.c
@build
gcc -c part.c
@between
touch n.h
@needs
gcc
END

control result "clock, random numbers and process id, but not in an output" <<'END'
@setup
cat > work.py <<'END2'
import os, random, time
begun = time.time()
number = random.random() + os.getpid()
with open("result", "w") as out:
    out.write("passed\n" if time.time() >= begun and number > 0 else "failed\n")
END2
@build
date > /dev/null
head -c 4 /dev/urandom > /dev/null
python3 work.py
@needs
python3
END

control sorted "another temporary file, another variable, and an input that was touched" <<'END'
@setup
printf '%s\n' b c a > names
@build
temporary=$(mktemp)
sort names > "$temporary"
cat "$temporary" > sorted
rm "$temporary"
@between
touch names
@first
env USER=alice
@second
env USER=builder
END
