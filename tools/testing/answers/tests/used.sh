#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace used: dpkg's owners of the files that were opened and run; and unused sources.

. "${0%/*}/../lib.sh"

truth=$FIXTURES/packages
mkdir -p root/var/lib/dpkg
cp -r "$truth/info" "$truth/status" root/var/lib/dpkg/
sed 's/: .*//' "$truth/owners" | grep -vE '^(bc|xz-utils)$' | sort -u > owners

for backend in module bpf; do
	trace=$truth/$backend.fxt.zst
	etrace used --root root "$trace" > text
	result $? "$backend: etrace used succeeds"
	grep -v '^no package' text | cut -d' ' -f1 | sort > used
	same "$backend: the packages are those that dpkg -S finds" used owners
	while read -r package version _; do
		! grep -qx "$package" owners || echo "$package $version:"
	done < "$truth/versions" | sort > expected
	grep -v '^no package' text | cut -d' ' -f1,2 | sort > versions
	same "$backend: the versions of the packages are right" versions expected
	etrace used --root root --unused --control "$truth/control" "$trace" > unused
	printf 'bc\nxz-utils\n' > expected
	same "$backend: --unused lists the build dependencies that were not used" unused expected
done

# A machine with links: the names by which gcc and ld were called are used, too.
mkdir -p linked/var/lib
cp -r root/var/lib/dpkg linked/var/lib/
mkdir -p linked/usr/{bin,sbin,lib,lib32,lib64,libx32}
{ cut -d' ' -f2 "$truth/owners"; sed 's/.*: //' "$truth/owners" "$truth/link-owners"; } | sort -u |
while read -r file; do
	mkdir -p "linked${file%/*}" && : > "linked$file"
done
while read -r link to; do
	case ${to##*/} in
	.*) continue ;;
	esac
	mkdir -p "linked${link%/*}"
	ln -sfn "$to" "linked$link"
done < "$truth/links"
for backend in module bpf; do
	etrace used --root linked "$truth/$backend.fxt.zst" > text
	grep -v '^no package' text | cut -d' ' -f1 | sort > used
	sed 's/: .*//' "$truth/link-owners" | sort -u - owners > expected
	same "$backend: owners of the links that were used are listed" used expected
	check "$backend: a link to a program counts as a program" \
		grep -qx 'gcc .*: program (1 file)' text
	# dpkg-depcheck knows neither names from before the /usr merge nor links
	sort "$truth/$backend.depcheck" > depcheck
	check "$backend: dpkg-depcheck found at least 15 packages" test "$(wc -l < depcheck)" -ge 15
	comm -23 depcheck used > only
	same "$backend: all packages that dpkg-depcheck finds are listed" only /dev/null
done

# A name that occurs only in the first line of a script.
mkdir -p scripts/var/lib/dpkg/info scripts/usr/bin
ln -s usr/bin scripts/bin
touch scripts/usr/bin/dash
ln -s dash scripts/usr/bin/sh
printf 'Package: %s\nVersion: 1\n\n' dash sh-is-dash > scripts/var/lib/dpkg/status
echo /bin/dash > scripts/var/lib/dpkg/info/dash.list
echo /bin/sh > scripts/var/lib/dpkg/info/sh-is-dash.list
for backend in module bpf; do
	etrace used --root scripts "$FIXTURES/wrapper-script/$backend.fxt.zst" > text
	check "$backend: the package of an interpreter's link is listed" \
		grep -qx 'sh-is-dash 1: program (1 file)' text
done

# Packages that are installed during the recorded build, as in an image; other files that the build
# makes are not inputs.
mkdir -p image/var/lib/dpkg/info image/usr/bin
printf 'Package: %s\nVersion: 1\n\n' early late idle > image/var/lib/dpkg/status
for name in early late idle; do echo /usr/bin/$name > image/var/lib/dpkg/info/$name.list; done
printf '#!/bin/sh\ncat "$@"\n' > image/usr/bin/early
cat > install.sh <<'END2'
cp -p image/usr/bin/early image/usr/bin/late.new
mv image/usr/bin/late.new image/usr/bin/late
cp image/usr/bin/early image/usr/bin/idle
image/usr/bin/early install.sh > image/made
image/usr/bin/late image/made > image/made2
END2
chmod +x image/usr/bin/early
check "packages installed during the build: the build is recorded" \
	etrace run -q --backend=strace -o image.fxt -- sh -e install.sh
etrace used --root image --in "$PWD/image" image.fxt > text
printf '%s\n' 'early 1: data, program (1 file)' 'late 1: program (1 file)' > expected
same "packages installed during the build: only those used later are listed" text expected

# A file that is used under two names, one of which the package lists.
for name in /bin/early /usr/bin/early; do
	printf '4194405,0,10,%s!%s\n' \
		${#name}000 "Open|fnamesize=${#name},forigsize=${#name},flags=0,mode=0,fd=3" \
		${#name}001 "FN|$name" ${#name}002 "FO|$name" ${#name}003 "Close|fd=3"
done > names
etrace used --root image names > text
echo 'early 1: data (2 files)' > expected
same "a file used under two names belongs to the package under both" text expected

# add_package NAME DEPENDS FILE...: install one on the machine with links.
add_package()
{
	printf '\nPackage: %s\nStatus: install ok installed\nArchitecture: all\nVersion: 1\nDepends: %s\n' \
		"$1" "$2" >> linked/var/lib/dpkg/status
	printf '%s\n' "${@:3}" > "linked/var/lib/dpkg/info/$1.list"
}
mkdir -p linked/usr/share/{meson,doc/essential,build-essential} linked/usr/lib/tools-1
touch linked/usr/bin/meson linked/usr/share/doc/essential/copyright linked/usr/share/build-essential/list
ln -s tools-1 linked/usr/lib/tools
ln -s meson linked/usr/bin/meson-link
ln -s /usr/lib/tools-1 linked/usr/lib/tools-absolute
dirs=(/. /usr /usr/bin /usr/share /usr/share/meson)
documents=(/usr/share/doc /usr/share/doc/essential /usr/share/doc/essential/copyright
	/usr/share/build-essential /usr/share/build-essential/list)
add_package files make "${dirs[@]}" "${documents[@]}" /usr/bin/meson
add_package links make "${dirs[@]}" /usr/bin/meson-link
add_package by-files files "${documents[@]}"
add_package documents make "${dirs[@]}" "${documents[@]}"
add_package directories make "${dirs[@]}" /usr/lib/tools /usr/lib/tools-absolute
add_package by-documents documents "${dirs[@]}"
add_package elsewhere make "${dirs[@]}" /usr/bin/not-here
add_package nothing bc "${documents[@]}"
printf 'Source: sample\nBuild-Depends: files, links, by-files, documents, directories, by-documents, elsewhere, nothing, gcc\n' > control
printf '%s\n' files links by-files nothing > expected
for backend in module bpf; do
	etrace used --root linked --unused --control control "$truth/$backend.fxt.zst" > unused
	same "$backend: a package with files of its own is not used through its dependencies" \
		unused expected
done
etrace used --json --root linked --unused --control control "$truth/module.fxt.zst" > json
check "the JSON names the package that was used, itself or a dependency" \
	bash -c 'grep -q "\"gcc\",.*\"by\":\"gcc\"" json && grep -q "\"by-documents\",.*\"by\":\"make\"" json'

trace=$truth/module.fxt.zst
etrace used --root root "$trace" > text
check "a package with data files has the class data" \
	grep -q '^zlib1g-dev:amd64 .*: data.* (3 files)$' text
check "a package with a program that ran has the class program" \
	grep -qx 'make .*: program (1 file)' text
etrace used --class program --root root "$trace" > text
check "--class program lists only packages with programs" \
	bash -c '! grep -q loader text && grep -q "^gcc-12 .*: program" text && ! grep -q ^zlib1g text'
etrace used --json --root root "$trace" > answers.json
etrace used --json --unused --control "$truth/control" --root root "$trace" >> answers.json
etrace used --json --sources "$ANSWERS/projects/packages" \
	--map "$ANSWERS/projects/packages=/build/packages/src" "$trace" >> answers.json
check "the JSON matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" answers.json
check "the JSON has each file once, in the package that dpkg names" python3 -c '
import json, sys
owners = {}
for line in open(sys.argv[1]):
    package, path = line.rstrip("\n").split(": ")
    owners["/usr" + path if path.startswith(("/bin/", "/lib/", "/lib64/", "/sbin/")) else path] = package
seen = set()
for line in open("answers.json"):
    row = json.loads(line)
    for path in row.get("files", []):
        assert path not in seen, path
        seen.add(path)
        full = "/usr" + path if path.startswith(("/bin/", "/lib/", "/lib64/", "/sbin/")) else path
        assert owners.get(full, row.get("package")) == row.get("package"), (path, row.get("package"))
assert "/usr/include/zlib.h" in seen' "$truth/owners"

# Dependencies as people write them.
cat > control <<'END2'
# a comment
Source: sample
Build-Depends: debhelper-compat (= 13) | make (>= 4),
# and one in between
 bc:any [!amd64], bc [amd64] <!nocheck>,
 gcc, ${misc:Depends},
 libz-dev
Build-Depends-Indep: xz-utils
Standards-Version: 4

Package: sample
Depends: perl
END2
cat >> root/var/lib/dpkg/status <<'END2'

Package: gcc
Status: install ok installed
Architecture: amd64
Version: 4:12
Depends: cpp (= 4:12), gcc-12 (>= 12)
END2
echo /usr/bin/gcc > root/var/lib/dpkg/info/gcc.list
etrace used --root root --unused --control control "$trace" > unused
printf 'bc [amd64] <!nocheck>\nxz-utils\n' > expected
same "--unused handles alternatives, architectures, profiles and virtual packages" unused expected
etrace used --json --root root --unused --control control "$trace" > json
check "the JSON names the package that satisfied a dependency" \
	bash -c 'grep -q "\"gcc\",.*\"by\":\"gcc-12\"" json && grep -q "\"libz-dev\",.*\"by\":\"zlib1g-dev:amd64\"" json'

# A file that another package diverted.
printf '/usr/bin/make\n/usr/bin/make.other\nbmake\n' > root/var/lib/dpkg/diversions
echo /usr/bin/make > root/var/lib/dpkg/info/bmake.list
etrace used --root root "$trace" > text
check "a diverted file belongs to the package that diverted it" \
	bash -c 'grep -q "^bmake .*program" text && ! grep -q "^make " text'

# pacman's database.
mkdir -p arch/var/lib/pacman/local/zlib-1.2-1
printf '%%NAME%%\nzlib\n\n%%VERSION%%\n1.2-1\n' > arch/var/lib/pacman/local/zlib-1.2-1/desc
printf '%%FILES%%\nusr/\nusr/include/\nusr/include/zlib.h\n\n%%BACKUP%%\netc/ld.so.cache\n' \
	> arch/var/lib/pacman/local/zlib-1.2-1/files
etrace used --root arch "$trace" > text
check "a package is found in pacman's database" grep -qx 'zlib 1.2-1: data (1 file)' text
ends 2 "--unused is refused for pacman" \
	etrace used --root arch --unused --control control "$trace"

# A database made by rpm.
cat > zlib.spec <<'END2'
Name: zlib-devel
Epoch: 2
Version: 1.2
Release: 3
Summary: a sample
License: none
BuildArch: noarch
%description
A sample.
%install
mkdir -p %{buildroot}/usr/include
echo > %{buildroot}/usr/include/zlib.h
%files
/usr/include/zlib.h
END2
rpmbuild -bb --define "_topdir $PWD/rpms" zlib.spec > log 2>&1
mkdir -p red/var/lib/rpm
check "rpm: the database is made" \
	rpm --dbpath "$PWD/red/var/lib/rpm" -i --justdb --nodeps --nosignature \
	rpms/RPMS/noarch/zlib-devel-1.2-3.noarch.rpm
etrace used --root red "$trace" > text
check "rpm: a package is found in its database" grep -qx 'zlib-devel 2:1.2-3: data (1 file)' text
mkdir -p broken/var/lib/rpm
echo no database > broken/var/lib/rpm/rpmdb.sqlite
ends 2 "rpm: an unreadable database is an error" etrace used --root broken "$trace"
ends 2 "rpm: a missing rpm program is an error" \
	env PATH="$(dirname "$(command -v etrace)")" etrace used --root red "$trace"

# Sources.
cp -r "$ANSWERS/projects/packages" src
mkdir src/.git
touch src/unused.h src/.git/config $'src/a\nb'
rm -f src/recipe src/control
for backend in module bpf; do
	etrace used --sources src --map src=/build/packages/src "$truth/$backend.fxt.zst" > unused
	printf '%s\n' "\$'/build/packages/src/a\\nb'" /build/packages/src/unused.{c,h} > expected
	same "$backend: --sources lists the unused sources" unused expected
done
ends 2 "--unused without a control file is an error" etrace used --unused --root root "$trace"
ends 2 "a control file without a source package is an error" \
	etrace used --unused --control text --root root "$trace"
ends 2 "a root without a package database is an error" etrace used --root src "$trace"
ends 2 "an unknown --class is a usage error" etrace used --class x --root root "$trace"
ends 2 "--unused with --packages is a usage error" \
	etrace used --unused --packages --root root "$trace"
ends 2 "a missing directory for --sources is an error" etrace used --sources none "$trace"

# The examples of the man page.
rm -rf debian
mkdir debian
cp "$truth/control" debian/
zstd -dqo build.fxt "$trace"
grep '^etrace used' "$ANSWERS/../../../Documentation/etrace-used.1" | sed 's/\\-/-/g' > lines
while read -r line; do
	check "the example in etrace-used.1 works: $line" bash -c "$line | grep -q ."
done < lines
