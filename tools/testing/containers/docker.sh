# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# With docker, whose daemon builds and runs containers; sourced by in-guest, which sets the
# variables used here.

: "${bin:?}" "${results:?}"
export DOCKER_HOST=unix:///try/docker.sock DOCKER_BUILDKIT=0

daemon containerd containerd
daemon dockerd dockerd --host "$DOCKER_HOST" --containerd /run/containerd/containerd.sock \
	--data-root /try/docker --exec-opt native.cgroupdriver=cgroupfs \
	--bridge=none --iptables=false --ip6tables=false
for ((i = 0; i < 600; i++)); do
	version=$(docker version -f '{{.Server.Version}}' 2> log) && break
	sleep 0.5
done
ok "the docker daemon answers" test "$version"
# shellcheck disable=SC2034	# in-guest's within() knows them
[ "${version%%.*}" -ge 23 ] || perfmon=SYS_ADMIN bpf=SYS_ADMIN
echo "# $version, $(docker info -f '{{.Driver}} {{.SecurityOptions}}')"

# step TRACE: print what the build step that runs programs has read
step()
{
	local root

	root=$(etrace deps --all --direct "$1" 2> log | sed -n 's,^\(/.*/\(merged\|rootfs\)\)/out/both$,\1,p')
	echo "# root: $root"
	[ -n "$root" ] || return
	made "$1" "$root" || return
	packaged "$1" "$root"
}

for backend in module bpf; do
	trace=$results/docker-$backend.fxt
	ok "docker: a build is recorded by the daemons' cgroups, with $backend" \
		recorded etrace run --backend=$backend --cgroup /dockerd --cgroup /containerd -o "$trace" -- \
		docker build -q --network=none --no-cache -t test context
	ok "docker: a step has its inputs and packages, with $backend" step "$trace"
done

# buildkit is part of dockerd, which starts the steps itself
trace=$results/docker-buildkit.fxt
ok "buildkit: a build is recorded by the cgroup of dockerd" \
	recorded etrace run --cgroup /dockerd -o "$trace" -- \
	env DOCKER_BUILDKIT=1 docker build -q --network=none --no-cache -t test context
ok "buildkit: a step has its inputs and packages" step "$trace"

docker build -q --network=none -t inside inside > /dev/null 2>&1
within docker
into docker
end_daemons
