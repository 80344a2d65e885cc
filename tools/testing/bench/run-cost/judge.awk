# SPDX-License-Identifier: GPL-2.0
#
# Evaluate the output of guest.sh: what tracing adds to a build of COMPILATIONS compilations.
#
# Runs of the same round are compared. Begin and end of a session are measured with a program
# that does nothing, and count once; the rest is scaled from the compilations of a run to those
# of the build. "±" is the 95 % confidence interval of the mean over all rounds.
#
# Exit status: 0 within the limits, 1 exceeded, 2 not precise enough.

BEGIN {
	COMPILATIONS = 90
	ERROR = 0.2		# percent of the build that a limit's number may be off
	max["etrace"] = 2.0	# percent that may be added
	max["bpf"] = 4.5
	# On top of etrace run. Wanted, but not enforced: the guest's CPU has no SHA-256
	# instructions, so that hashing takes ten times as long.
	max_hash["hash-first"] = 2.0
	max_hash["hash"] = 0.3
	max_once["etrace"] = 80	# millions of instructions for a session's beginning and end
	max_once["bpf"] = 800
	# Student's t for 95 %, by degrees of freedom.
	split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20", t)
}

$1 == "files" && NF == 2 { scale = COMPILATIONS / $2; next }
NF == 4 && $2 ~ /^[0-9]+$/ {
	value[$1, ++n[$1]] = $2 + $3
	late[$1] += $3
	waited[$1] += $4
	next
}
{ print "unexpected: " $0; unexpected = 1 }

function mean(sum, count) { return count ? sum / count : 0 }

# The compilations of a round, without the start and the end of the session.
function compiling(id, i) { return scale * (value[id, i] - value[id "-true", i]) }

function evaluate(id,   i, build, begin, x, sum, squares)
{
	rounds = n[id] < n["none"] ? n[id] : n["none"]
	for (i = 1; i <= rounds; i++) {
		build = compiling("none", i)
		begin = value[id "-true", i] - value["none-true", i]
		x = 100 * ((compiling(id, i) + begin) / build - 1)
		sum += x
		squares += x * x
		total[id] += (compiling(id, i) + begin) / rounds
		once[id] += begin / rounds
		once_percent[id] += 100 * begin / build / rounds
	}
	added[id] = mean(sum, rounds)
	error[id] = -1
	if (rounds > 1 && rounds - 1 in t)
		error[id] = t[rounds - 1] * \
			sqrt(max0(squares - sum * sum / rounds) / (rounds - 1) / rounds)
}

function max0(x) { return x > 0 ? x : 0 }

# What hashing adds to recording, compared round by round. Files hashed for the first time,
# mostly tools, count once: they are the difference between the sessions of a round with and
# without a cache.
function evaluate_hash(id,   i, x, sum, squares, rounds)
{
	rounds = n[id] < n["etrace"] ? n[id] : n["etrace"]
	for (i = 1; i <= rounds; i++) {
		x = compiling("hash", i) - compiling("etrace", i)
		if (id == "hash-first")
			x += value[id, i] - value["hash", i]
		x = 100 * x / compiling("none", i)
		sum += x
		squares += x * x
	}
	added[id] = mean(sum, rounds)
	error[id] = rounds > 1 ? t[rounds - 1] * \
		sqrt(max0(squares - sum * sum / rounds) / (rounds - 1) / rounds) : -1
}

function limit_hash(id, title,   verdict)
{
	evaluate_hash(id)
	verdict = added[id] - max0(error[id]) > max_hash[id] ? "is more" : "is kept"
	printf "  added to that by %s: %.2f %% %s (goal %.1f %%: %s)\n", title, added[id],
		error_text(id), max_hash[id], verdict
}

function error_text(id)
{
	return !n[id] ? "(no run)" : error[id] < 0 ? "(one run)" : sprintf("± %.2f", error[id])
}

function row(id, title)
{
	evaluate(id)
	printf "  %-40s %10.1f", title, total[id] / 1e6
	if (id != "none")
		printf " %+8.2f %% %s", added[id], error_text(id)
	print ""
	if (id != "etrace" && id != "bpf")
		return
	printf "    of that, a session's beginning and end %9.1f %+8.2f %%; it waits %.0f ms\n", \
		once[id] / 1e6, once_percent[id], beyond_none(waited, id) / 1e6
	printf "      of that, in the kernel when it is over %8.1f\n", beyond_none(late, id) / 1e6
}

# Mean of a session of a program that does nothing, minus that of the program untraced.
function beyond_none(of, id)
{
	return mean(of[id "-true"], n[id "-true"]) - mean(of["none-true"], n["none-true"])
}

function limit(id, title,   verdict)
{
	if (error[id] < 0 || error[id] > ERROR)
		verdict = sprintf("TOO IMPRECISE: ± %.1f is needed", ERROR)
	else if (added[id] - error[id] > max[id])
		verdict = "EXCEEDED"
	else if (added[id] + error[id] > max[id])
		verdict = "TOO IMPRECISE: the limit is within the error"
	else
		verdict = "kept"
	printf "  added by %s: %.2f %% %s (at most %.1f %%): %s\n", title, added[id], \
		error_text(id), max[id], verdict
	if (verdict ~ /^NOT/)
		unknown = 1
	else if (verdict != "kept")
		exceeded = 1
	verdict = once[id] / 1e6 > max_once[id] ? "EXCEEDED" : "kept"
	printf "  a session's beginning and end, by %s: %.1f (at most %d): %s\n", title, \
		once[id] / 1e6, max_once[id], verdict
	if (verdict != "kept")
		exceeded = 1
}

END {
	if (unexpected || !scale)
		exit 1
	printf "%d compilations with gcc -O0 -c, in millions of guest instructions; %d rounds of %d:\n", \
		COMPILATIONS, n["none"], COMPILATIONS / scale
	row("none", "untraced")
	row("etrace", "etrace run, FXT to a file")
	row("module", "the module with root_pid, no reader")
	row("bpf", "etrace run --backend=bpf, FXT to a file")
	row("strace-bpf", "strace -f --seccomp-bpf, the same calls")
	row("strace", "strace -f, all calls")
	limit("etrace", "etrace run")
	limit("bpf", "etrace run --backend=bpf")
	limit_hash("hash-first", "--hash, nothing known")
	limit_hash("hash", "--hash, all known")
	exit exceeded ? 1 : unknown ? 2 : 0
}
