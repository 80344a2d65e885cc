# SPDX-License-Identifier: GPL-2.0
#
# A man page whose OPTIONS are those of the program:
#
#	etrace run --list-options | awk -f options.awk - etrace-run.1
#
# What the page says in OPTIONS below the head ".TP", ".B \-\-name" is set behind the program's
# own text; heads stand alone there, as name, letter and value are the program's. ".so FILE.man"
# reads a file beside the page, which several pages share.

BEGIN { FS = "\t" }

function die(text)
{
	print FILENAME ": " text > "/dev/stderr"
	failed = 1
	exit 1
}

function roff(s)
{
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	return s
}

# A sentence, in which options are bold.
function sentence(s)
{
	s = roff(toupper(substr(s, 1, 1)) substr(s, 2))
	gsub(/\\-\\-[a-z][a-z\\-]*/, "\\fB&\\fR", s)
	return (s ~ /^[.']/ ? "\\&" : "") s (s ~ /[.:]$/ ? "" : ".")
}

# What is typed: words that can be the value are bold, other values are not.
function typed(name, letter, value, h)
{
	h = (letter == "" ? "" : "\\fB\\-" letter "\\fR, ") "\\fB\\-\\-" roff(name) "\\fR"
	if (sub(/^\[=/, "", value) && sub(/\]$/, "", value))
		return h "[=\\fI" roff(value) "\\fR]"
	value = roff(value)
	if (gsub(/\|/, "\\fR|\\fB", value))
		return h " \\fB" value "\\fR"
	return h (value == "" ? "" : " \\fI" value "\\fR")
}

# A line of the page, or of a file that it reads.
function take(line, file, got, head)
{
	if (line ~ /^\.so .*\.man$/) {
		file = FILENAME
		sub(/[^\/]*$/, substr(line, 5), file)
		while ((got = (getline line < file)) > 0)
			if (line !~ /^\.\\" /)
				take(line)
		if (got < 0)
			die(file " cannot be read")
		close(file)
		return
	}
	if (line ~ /^\.SH/) {
		put_options()
		options = line == ".SH OPTIONS"
	}
	if (tag && line ~ /^\.B.? \\-\\-/) {
		head = line
		gsub(/^\.B \\-\\-|\\/, "", head)
		if (!(head in text))
			die("no option is called " line)
		about = head
	} else if (tag) {
		put(".TP")
	}
	if (tag && line ~ /^\.B.? \\-\\-/ || options && line == ".TP") {
		tag = line == ".TP"
		return
	}
	tag = 0
	put(line)
}

function put(line)
{
	if (options && about != "")
		more[about] = more[about] "\n" line
	else
		print line
}

function put_options(i)
{
	for (i = 1; options && i <= n; i++)
		print ".TP\n" heads[i] "\n" text[names[i]] more[names[i]]
	about = ""
}

NR == FNR {
	names[++n] = $1
	heads[n] = typed($1, $2, $3)
	text[$1] = sentence($4)
	next
}
{ take($0) }
END {
	if (!failed)
		put_options()
}
