# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# With podman; sourced by in-guest, which sets the variables used here.

: "${bin:?}" "${results:?}"
cat > /etc/containers/containers.conf << 'END'
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[containers]
netns = "none"
pidns = "private"
cgroupns = "private"
END
echo '{"default":[{"type":"insecureAcceptAnything"}]}' > /etc/containers/policy.json
build=(build -q --network=none --layers=false -t test context)

# root_of TRACE: print the root directory of the build's steps
root_of()
{
	etrace deps --all --direct --json "$1" 2> log | sed -n 's,.*"output":"\([^"]*\)/out/both".*,\1,p' |
		grep -m 1 rootfs
}

# answers TRACE: check the inputs of the image, and their packages
answers()
{
	local root
	root=$(root_of "$1")
	echo "# root: $root"
	[ -n "$root" ] || return
	made "$1" "$root" || return
	# through two processes and their pipes, to the file outside the container
	etrace why "$1" "$root/out/both" /try/context/src/two > chain 2> log
	grep -q "from  *$root/src/" chain && grep -q 'from  */try/context/src/two' chain || return
	etrace deps --leaves "$1" "$root/out/both" > inputs 2> log
	grep -qx /try/context/src/one inputs || return
	packaged "$1" "$root" --root "$(podman image mount test)"
}

for backend in module bpf; do
	trace=$results/$backend.fxt
	ok "podman: a build is recorded from outside, with $backend" \
		recorded etrace run --backend=$backend -o "$trace" -- podman "${build[@]}"
	ok "podman: a step has its inputs and packages, with $backend" answers "$trace"
done

# ---- a daemon builds, which is not a child of the recorded command ----
daemon podmand podman system service -t 0 unix:///try/podman.sock
for ((i = 0; i < 600; i++)); do [ ! -S podman.sock ] || break; sleep 0.1; done
for backend in module bpf; do
	trace=$results/daemon-$backend.fxt
	ok "podman daemon: a build is recorded by the daemon's cgroup, with $backend" \
		recorded etrace run --backend=$backend --cgroup /podmand -o "$trace" -- \
		podman --remote --url unix:///try/podman.sock "${build[@]}"
	ok "podman daemon: a step has its inputs, with $backend" sh -c '
		root=$(etrace deps --all --direct --json "$1" 2> log | sed -n "s,.*\"output\":\"\([^\"]*rootfs\)/out/both\".*,\1,p" | head -n 1)
		etrace deps --direct "$1" "$root/out/both" 2> log | grep -qx "$root/src/two"' sh "$trace"
done
end_daemons

podman build -q --network=none -t inside inside > /dev/null
within podman
into podman
