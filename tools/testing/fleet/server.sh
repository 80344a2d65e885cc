#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a ClickHouse server for tests on free ports of this machine, and remove it afterwards:
#
#   server.sh [OPTION]... [--] COMMAND [ARGUMENT]...
#
# The server is Debian's.  It runs while COMMAND does, and server.sh exits with COMMAND's
# status.  It only writes to a new directory, which is removed at the end.
#
#   --full N	its data is in a file system of N MB in memory
#   --cluster	four servers: two shards of two replicas, and a ZooKeeper
#   --newer	a newer server, without users and TLS (new-server.js); npm fetches half a
#		gigabyte if it is not in $ETRACE_CACHE or build/vm
#   --version	only print the server's version
#
# Exit status 4 if something that it needs is not installed: the last line says what.
#
# The environment of COMMAND:
#   FLEET_URL		http://127.0.0.1:PORT; FLEET_URLS: the URLs of all servers
#   FLEET_HTTPS		https://localhost:PORT; FLEET_CACERT: the authority of its certificate
#   FLEET_CERTS		certificates NAME.pem with keys NAME.key: localhost, and from the
#			same authority, other (for another host) and old (expired);
#			other-ca.pem: an authority that signed none of these
#   FLEET_PUSHER	a user who may write, FLEET_READER: one who may only read;
#			FLEET_PUSHER_FILE, FLEET_READER_FILE: files with their passwords.  The user
#			"default" has no password and may do all.
#   FLEET_CLUSTER	the cluster's name
#   FLEET_PIDS		the pids of the servers
#   FLEET_DIR		the directory of all their files; FLEET_DATA: the first server's
#			data, at a path that COMMAND can use
#   FLEET_VERSION	the server's version

set -u

say() { echo "server.sh: $*" >&2; }

missing() { say "$*"; exit 4; }

# from npm: the engine of ClickHouse 26.7
chdb=3.4.0

full='' cluster='' newer=''
here=$(dirname "$(readlink -f "$0")")
while [ $# -gt 0 ]; do
	case $1 in
	--full) full=$2; shift ;;
	--cluster) cluster=fleet ;;
	--newer) newer=y ;;
	--version) version=y ;;
	--) shift; break ;;
	-*) say "unknown option $1"; exit 2 ;;
	*) break ;;
	esac
	shift
done

PATH=$PATH:/usr/sbin
needs=(curl openssl python3)
if [ -n "$newer" ]; then
	needs+=(node npm)
else
	needs+=(clickhouse-server)
fi
for program in "${needs[@]}"; do
	command -v "$program" > /dev/null || missing "$program is not installed"
done
if [ "${version:-}" ]; then
	clickhouse-server --version 2> /dev/null | grep -o '[0-9][0-9.]*' | head -n 1
	exit
fi
[ $# -gt 0 ] || { say "which command?"; exit 2; }

# ---- cleaning up ----

dir=$(mktemp -d "${TMPDIR:-/tmp}/etrace-fleet.XXXXXX") || exit 1
pids=() command=

# gone PID: whether it has ended, or is a zombie.
gone() { ! [ -e "/proc/$1" ] || grep -q '^State:.[ZX]' "/proc/$1/status" 2> /dev/null; }

# end PID...: end processes; kill them after five seconds, since nobody needs their data.
end()
{
	local pid _

	[ $# -gt 0 ] || return 0
	kill "$@" 2> /dev/null
	for _ in $(seq 50); do
		for pid; do
			gone "$pid" || { sleep 0.1; continue 2; }
		done
		return 0
	done
	kill -9 "$@" 2> /dev/null
}

# shellcheck disable=SC2317
leave()
{
	trap '' INT TERM HUP
	[ -z "$command" ] || gone "$command" || end "$command"
	end "${pids[@]}"
	wait 2> /dev/null
	rm -rf "$dir"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- certificates ----

# certificate NAME HOST [OPTION]...: make one, signed by the test's authority.
certificate()
{
	local name=$1 host=$2

	shift 2
	openssl req -newkey rsa:2048 -nodes -keyout "$certs/$name.key" -subj "/CN=$host" \
		-out "$certs/$name.csr" 2> /dev/null &&
		openssl x509 -req -in "$certs/$name.csr" -CA "$certs/ca.pem" -CAkey "$certs/ca.key" \
			-CAcreateserial -extfile <(echo "subjectAltName=DNS:$host") \
			-out "$certs/$name.pem" "$@" 2> /dev/null
}

# authority NAME: make a certificate authority.
authority()
{
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$certs/$1.key" -subj "/CN=$1" -days 2 \
		-addext basicConstraints=critical,CA:TRUE -out "$certs/$1.pem" 2> /dev/null
}

certs=$dir/certs
mkdir -m 700 "$certs"
{
	authority ca && authority other-ca && certificate localhost localhost -days 2 &&
		certificate other build.example -days 2 && certificate old localhost -days 0
} || { say "openssl makes no certificates"; exit 1; }
# a certificate for 0 days expires in the second in which it becomes valid

# ---- passwords ----

(
	umask 077
	openssl rand -hex 12 > "$dir/pusher.password"
	openssl rand -hex 12 > "$dir/reader.password"
)

# ---- servers ----

# ports N: print N free ports, one a line.
ports()
{
	python3 - "$1" <<-'END'
	import socket, sys
	held = [socket.socket() for _ in range(int(sys.argv[1]))]
	for s in held:
	    s.bind(("127.0.0.1", 0))
	    print(s.getsockname()[1])
	END
}

user()	# NAME PROFILE PASSWORD-ELEMENT
{
	cat <<-END
	<$1>
		$3
		<networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
		<profile>$2</profile>
		<quota>default</quota>
	</$1>
	END
}

# sha256 FILE: print the element with the hash of the password in it.
sha256() { echo "<password_sha256_hex>$(head -n 1 "$1" | tr -d '\n' | sha256sum | cut -c1-64)</password_sha256_hex>"; }

# users: print the users file, with limits for a small machine.
users()
{
	cat <<-END
	<yandex>
		<profiles>
			<default>
				<max_memory_usage>1000000000</max_memory_usage>
				<max_memory_usage_for_all_queries>1500000000</max_memory_usage_for_all_queries>
				<max_threads>2</max_threads>
				<use_uncompressed_cache>0</use_uncompressed_cache>
				<background_pool_size>2</background_pool_size>
				<background_schedule_pool_size>2</background_schedule_pool_size>
				<insert_distributed_sync>0</insert_distributed_sync>
				<log_queries>0</log_queries>
			</default>
			<reader>
				<max_memory_usage>1000000000</max_memory_usage>
				<max_threads>2</max_threads>
				<readonly>1</readonly>
			</reader>
		</profiles>
		<quotas><default/></quotas>
		<users>
			$(user default default '<password></password>')
			$(user pusher default "$(sha256 "$dir/pusher.password")")
			$(user reader reader "$(sha256 "$dir/reader.password")")
		</users>
	</yandex>
	END
}

# config DIR HTTP HTTPS TCP INTERSERVER REST
config()
{
	cat <<-END
	<yandex>
		<logger>
			<level>information</level>
			<log>$1/log</log>
			<errorlog>$1/errors</errorlog>
			<size>20M</size>
			<count>1</count>
		</logger>
		<http_port>$2</http_port>
		<https_port>$3</https_port>
		<tcp_port>$4</tcp_port>
		<interserver_http_port>$5</interserver_http_port>
		<interserver_http_host>127.0.0.1</interserver_http_host>
		<listen_host>127.0.0.1</listen_host>
		<openSSL>
			<server>
				<certificateFile>$certs/localhost.pem</certificateFile>
				<privateKeyFile>$certs/localhost.key</privateKeyFile>
				<verificationMode>none</verificationMode>
				<loadDefaultCAFile>false</loadDefaultCAFile>
			</server>
		</openSSL>
		<path>$1/data/</path>
		<tmp_path>$1/data/tmp/</tmp_path>
		<user_files_path>$1/data/user_files/</user_files_path>
		<format_schema_path>$1/data/format_schemas/</format_schema_path>
		<users_config>$1/users.xml</users_config>
		<default_profile>default</default_profile>
		<default_database>default</default_database>
		<timezone>UTC</timezone>
		<keep_alive_timeout>10</keep_alive_timeout>
		<max_connections>256</max_connections>
		<uncompressed_cache_size>0</uncompressed_cache_size>
		<mark_cache_size>67108864</mark_cache_size>
		<merge_tree>
			<max_bytes_to_merge_at_max_space_in_pool>1000000000</max_bytes_to_merge_at_max_space_in_pool>
		</merge_tree>
		$6
	</yandex>
	END
}

# Print the shards, for config: "PORT PORT" for each.
remote_servers()
{
	local shard port

	echo "<remote_servers><$cluster>"
	for shard; do
		echo "<shard><internal_replication>true</internal_replication>"
		for port in $shard; do
			echo "<replica><host>127.0.0.1</host><port>$port</port></replica>"
		done
		echo "</shard>"
	done
	echo "</$cluster></remote_servers>"
}

# fetch_newer DIR: install the newer server there, once.
fetch_newer()
{
	[ ! -e "$1/whole" ] || return 0
	mkdir -p "$1" && echo '{}' > "$1/package.json" &&
		(cd "$1" && npm install --silent --no-audit --no-fund "chdb@$chdb") > "$dir/npm" 2>&1 &&
		: > "$1/whole"
}

# start_server DIR: start it in the background, with its files in DIR and its data in DIR/data.
start_server()
{
	local run=(clickhouse-server "--config-file=$1/config.xml")

	# $2: its port
	[ -z "$newer" ] || run=(node "$here/new-server.js" "$2" "$1/data" "$newer")

	# a new process group, so that Ctrl-C only reaches COMMAND
	set -m
	if [ -n "$full" ]; then
		# shellcheck disable=SC2016
		unshare "${as_root[@]}" --mount bash -c '
			mount -t tmpfs -o size="$1"m fleet "$2" && shift 2 && exec "$@"' \
			mount "$full" "$1/data" "${run[@]}" > "$1/messages" 2>&1 < /dev/null &
	else
		"${run[@]}" > "$1/messages" 2>&1 < /dev/null &
	fi
	pids+=($!)
	set +m
}

# answers PID URL LOG-DIRECTORY: wait until the server answers.
answers()
{
	local _

	for _ in $(seq 1800); do
		[ "$(curl -s -m 20 "$2/ping")" = Ok. ] && return
		if gone "$1"; then
			break
		fi
		sleep 0.1
	done
	say "the server does not start:"
	tail -n 20 "$3"/{messages,errors} 2> /dev/null >&2
	return 1
}

FLEET_HTTPS='' as_root=()
[ "$(id -u)" = 0 ] || as_root=(--map-root-user)
if [ -n "$full" ]; then
	unshare "${as_root[@]}" --mount true 2> /dev/null ||
		missing "no file system can be mounted here"
fi

if [ -n "$newer" ]; then
	newer=$(realpath -m "${ETRACE_CACHE:-${BUILD:-$here/../../../build}/vm}/chdb-$chdb")
	fetch_newer "$newer" || { tail -n 5 "$dir/npm" >&2; missing "chdb is not available from npm"; }
fi

nservers=1
[ -z "$cluster" ] || nservers=4

# serves PORT: whether ZooKeeper answers; at first it listens without answering.
serves()
{
	(exec 3<> "/dev/tcp/127.0.0.1/$1" && printf srvr >&3 && timeout 5 grep -q '^Zookeeper version' <&3)
}

# zookeeper PORT: start it in the background.
zookeeper()
{
	local z=$dir/zookeeper _

	command -v java > /dev/null || missing "java is not installed"
	[ -e /usr/share/java/zookeeper.jar ] || missing "libzookeeper-java is not installed"
	mkdir "$z"
	cat > "$z/config" <<-END
	dataDir=$z
	clientPort=$1
	clientPortAddress=127.0.0.1
	tickTime=2000
	admin.enableServer=false
	maxClientCnxns=0
	END
	set -m
	# the manifest of the jar names its other dependencies
	java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dzookeeper.jmx.log4j.disable=true \
		-cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar \
		org.apache.zookeeper.server.ZooKeeperServerMain "$z/config" > "$z/messages" 2>&1 < /dev/null &
	pids+=($!)
	set +m
	# such an old ClickHouse dies if ZooKeeper is not running when it starts
	for _ in $(seq 1800); do
		serves "$1" 2> /dev/null && return
		gone "${pids[-1]}" && break
		sleep 0.1
	done
	say "ZooKeeper does not start:"
	tail -n 20 "$z/messages" >&2
	return 1
}

make_servers()
{
	local port rest='' i d

	mapfile -t port < <(ports $((nservers * 4 + 1)))
	if [ -n "$cluster" ]; then
		zookeeper "${port[16]}" || return 1
		rest="$(remote_servers "${port[2]} ${port[6]}" "${port[10]} ${port[14]}")
		<zookeeper><node><host>127.0.0.1</host><port>${port[16]}</port></node></zookeeper>
		<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>"
	fi
	for ((i = 0; i < nservers; i++)); do
		d=$dir/$i
		mkdir -p "$d/data"
		users > "$d/users.xml"
		config "$d" "${port[@]:i * 4:4}" "$rest
			<macros><shard>$((i / 2 + 1))</shard><replica>$((i % 2 + 1))</replica></macros>" > "$d/config.xml"
		start_server "$d" "${port[i * 4]}"
		urls+=("http://127.0.0.1:${port[i * 4]}")
		servers+=("${pids[-1]}")
	done
	[ -n "$newer" ] || FLEET_HTTPS=https://localhost:${port[1]}
	for ((i = 0; i < nservers; i++)); do
		answers "${servers[i]}" "${urls[i]}" "$dir/$i" || return 1
	done
}

# Another process may have taken a port: then try others.
for try in 1 2 3; do
	urls=() servers=()
	make_servers && break
	grep -qi 'address already in use' "$dir"/*/errors "$dir"/*/messages 2> /dev/null && [ "$try" != 3 ] || exit 1
	end "${pids[@]}"
	pids=()
	rm -rf "$dir"/[0-9] "$dir/zookeeper"
done

export FLEET_URL=${urls[0]} FLEET_URLS="${urls[*]}" FLEET_HTTPS FLEET_CACERT=$certs/ca.pem FLEET_CERTS=$certs
export FLEET_PUSHER=pusher FLEET_PUSHER_FILE=$dir/pusher.password
export FLEET_READER=reader FLEET_READER_FILE=$dir/reader.password
export FLEET_CLUSTER=$cluster FLEET_PIDS="${servers[*]}" FLEET_DIR=$dir
export FLEET_DATA=$dir/0/data
[ -z "$full" ] || FLEET_DATA=/proc/${servers[0]}/root$dir/0/data
FLEET_VERSION=$(curl -s -m 10 "$FLEET_URL" --data-binary 'SELECT version()')
export FLEET_VERSION

# In the background, so that the shell handles a signal at once.
"$@" <&0 &
command=$!
wait "$command"
exit
