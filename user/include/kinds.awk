#!/usr/bin/awk -f
# SPDX-License-Identifier: LGPL-2.1
# The part of etrace.h that comes of kernel/etrace_events.def: enums of the
# kinds of events, their values and strings.  Events that the module does not
# make have numbers from 128 on, so that new ones of the module, which stand
# before them in the table, change no number.  api/schema.c compares all of it
# with what the compiler makes of the table.

function quoted(s)	# the first string in a row
{
	sub(/^[^"]*"/, "", s)
	sub(/".*/, "", s)
	return s
}

function add(line)
{
	return "\t" line "\n"
}

/^[ \t]*(EVENT|VALUE|STRING|ARGS)\(/ {
	row = $0
	macro = row
	sub(/^[ \t]*/, "", macro)
	sub(/\(.*/, "", macro)
	sub(/^[^(]*\(/, "", row)
	split(row, part, /, */)
	id = part[1]
}
macro == "EVENT" {
	number = row ~ /, READER, / ? 128 + readers++ : 1 + made++
	doc = row
	sub(/"\)[ \t]*$/, "", doc)
	sub(/.*, "/, "", doc)
	kinds = kinds add(sprintf("ETRACE_K_%s = %d,\t/* \"%s\": %s */", id, number, quoted(row), doc))
	values = strings = 0
}
macro == "VALUE" {
	all_values = all_values add(sprintf("ETRACE_V_%s_%s = %d,\t/* \"%s\" */", id, part[2],
					    values++, quoted(row)))
}
macro == "STRING" {
	all_strings = all_strings add(sprintf("ETRACE_S_%s_%s = %d,\t/* \"%s\" */", id, part[2],
					      strings++, quoted(row)))
}
macro == "ARGS" {
	all_strings = all_strings add(sprintf("ETRACE_S_%s_%s = ETRACE_ARGS,\t/* \"%s\" */", id,
					      part[2], quoted(row)))
}
{ macro = "" }

END {
	if (!made || !readers) {
		print "kinds.awk: there are no events" > "/dev/stderr"
		exit 1
	}
	printf "/* The argument list, where the number of a string is expected. */\n"
	printf "#define ETRACE_ARGS 7u\n\n"
	printf "enum etrace_kind {\n\tETRACE_K_NONE = 0,\t/* no event has it */\n%s};\n\n", kinds
	printf "/* by etrace_event_value() */\nenum etrace_value {\n%s};\n\n", all_values
	printf "/* by etrace_event_string() */\nenum etrace_string {\n%s};\n", all_strings
}
