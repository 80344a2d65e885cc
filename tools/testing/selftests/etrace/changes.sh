#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that create, change, list and remove files in a tree, and talk to each
# other; each kind of call at least once, and some that fail.
#
#	changes.sh DIR
#
# It ends with the line "all done" and leaves only DIR/tree.

cd "$1" || exit 1
mkdir -p tree/a/b tree/c
mkfifo -m 600 tree/fifo
mknod -m 640 tree/null c 1 3
seq 100 > tree/a/file
truncate -s 5000000000 tree/a/b/large
truncate -s 30 tree/a/file
touch -d @5.25 tree/a/file tree/c/new
touch -m -d @7 tree/a/file
chmod -R g+w,o-rwx tree/a
ln -s ../a/file tree/c/link
chown -R 1:2 tree/c
chown -h 3 tree/c/link
touch -h -d @9 tree/c/link
cp -p tree/a/file tree/c/copy
cp -a tree/a tree/a-copy
ln tree/a/file tree/c/hard
mv tree/c/hard tree/c/moved
tar -C tree -cf tree.tar a/file c
mkdir other
tar -C other -xpf tree.tar
install -D -m 711 tree/a/file other/x/y/file
dd if=tree/a/file of=tree/dd bs=7 count=3 conv=notrunc 2> dd.log
seq 1000 | sort -r -S 16K -T tree -o tree/sorted
cat < tree/sorted | tee tree/teed | wc -c
readlink tree/c/link
# shellcheck disable=SC2012 # what ls does is what is traced
ls -l tree tree/c | cat
test -w tree/a/file
mkdir tree
mkdir nothing/there
rmdir tree
rm absent
chmod 600 absent
chown 0 absent
truncate -s 3 nothing/there
cat absent
./absent
(cd absent || exit)
(cd tree/a/../c && mkdir ../by-dots)
ln -s tree/a to-a
(cd to-a && mkdir by-link && rmdir by-link)
unshare -u nsenter -u -t $$ true
unshare --user --map-user=0 true
python3 -S -E - <<- 'PYTHON'
	import array, ctypes, fcntl, mmap, os, socket
	os.getrandom(40)
	os.getrandom(5, os.GRND_NONBLOCK)
	os.uname()
	os.sched_getaffinity(0)
	os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
	os.sched_getaffinity(0)
	ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(200))
	os.mkdir("m", 0o700)
	os.chdir("m")
	os.mkdir("n")
	os.mknod("plain", 0o600)
	fd = os.open("..", os.O_RDONLY)
	os.listdir(fd)
	f = os.open("file", os.O_RDWR | os.O_CREAT)
	os.pwrite(f, b"text" * 2048, 0)
	os.ftruncate(f, 8000)
	os.fchmod(f, 0o640)
	os.fchown(f, 5, -1)
	os.chown("file", -1, 6)
	os.lchown("file", 7, 8)
	os.utime(f, (1, 2))
	os.utime("file")
	os.truncate("file", 7000)
	os.pread(f, 100, 10)
	os.preadv(f, [bytearray(10), bytearray(20)], 0)
	os.writev(f, [b"a", b"bc"])
	mmap.mmap(f, 4096)
	g = os.open("other", os.O_RDWR | os.O_CREAT)
	os.sendfile(g, f, 0, 1000)
	os.copy_file_range(f, g, 500, 0)
	os.set_inheritable(g, True)
	os.dup2(g, 50)
	os.dup2(f, 50)
	os.posix_fallocate(g, 0, 5000)
	r, w = os.pipe()
	os.splice(f, w, 100, offset_src=0)
	os.read(r, 1000)
	m = os.memfd_create("memory")
	os.write(m, b"12345")
	a, b = socket.socketpair()
	socket.send_fds(a, [b"x"], [f])
	socket.recv_fds(b, 10, 1)
	a.sendall(b"1234")
	b.recv(100)
	for family, where in ((socket.AF_UNIX, "socket"), (socket.AF_INET, ("127.0.0.1", 4711))):
	    s = socket.socket(family)
	    s.bind(where)
	    s.listen()
	    c = socket.socket(family)
	    c.connect(where)
	    d, _ = s.accept()
	    d.send(b"hello")
	    c.recv(10)
	    c.close()
	s = socket.socket(socket.AF_UNIX)
	try:
	    s.connect("absent")
	except OSError:
	    pass
	os.fchdir(fd)
	os.unlink("m/file")
	os.close(f)
	pid = os.fork()
	if not pid:
	    os.write(g, b"child")
	    os.chroot("tree")
	    os.chdir("/c")
	    os.mkdir("in-root")
	    os._exit(3)
	os.waitpid(pid, 0)
	os.set_inheritable(r, True)
	os.execv("/bin/true", ["true"])
PYTHON
rm -r other m tree/a-copy
echo "all done"
