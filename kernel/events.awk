# SPDX-License-Identifier: GPL-2.0
#
# Make the trace event of each row of etrace_events.def, for events.h. The larger values come
# first, so that the record has no holes.
#
#	awk -f events.awk etrace_events.def > events_made.h

BEGIN {
	FS = "[(,)]"
	width["s64"] = width["u64"] = 8
	width["s32"] = width["u32"] = 4
	width["s16"] = width["u16"] = 2
	width["u8"] = 1
	print "/* Made by events.awk from etrace_events.def. */"
}

{
	sub(/^[ \t]+/, "")
	gsub(/, +/, ",")
}

$1 == "EVENT" {
	ID = $2
	id = $3
	is_kernels = !/,READER,/
	split("", fields)
	strings = copy_values = copy_strings = words = ""
	nr_strings = may = tail = 0
}

# A value: fields of one width are collected, and the wider ones come first in the record.
$1 == "VALUE" {
	fields[width[$4]] = fields[width[$4]] "\t\t__field(" $4 ", " $3 ")\n"
	copy_values = copy_values "\t\t__entry->" $3 " = r->" id "." $3 ";\n"
	words = words ",\n\t\t  ETRACE_VAL" ($7 == "MAY" ? "_MAY" : "") "(" ID ", " $3 ")"
	if ($7 == "MAY")
		may = 1
}

$1 == "STRING" {
	strings = strings "\t\tETRACE_STR_FIELDS(" $3 ", " nr_strings ")\n"
	copy_strings = copy_strings "\t\tETRACE_STR_ASSIGN(" $3 ", " nr_strings++ ");\n"
	words = words ",\n\t\t  ETRACE_STR(" ID ", " $3 ")"
	tail = 1
}

$1 == "ARGS" {
	strings = strings "\t\tETRACE_ARGS_FIELDS(" id ", " $3 ")\n"
	copy_strings = copy_strings "\t\tETRACE_ARGS_ASSIGN(" id ", " $3 ");\n"
	words = words ",\n\t\t  ETRACE_ARGS(" ID ", " $3 ")"
	tail = 1
}

$1 == "LINE" && $4 == "FAILED" { tail = 1 }

$1 == "END_EVENT" && is_kernels {
	printf "\nTRACE_EVENT(etrace_%s,\n\tTP_PROTO(struct etrace_rec *r),\n\tTP_ARGS(r),\n", id
	printf "\tTP_STRUCT__entry(\n\t\tETRACE_HEAD_FIELDS\n%s%s%s%s%s%s%s%s\t),\n", \
		fields[8], fields[4], strings, tail ? "\t\tETRACE_ERROR_FIELD\n" : "", \
		fields[2], may ? "\t\t__field(u16, have)\n" : "", fields[1], \
		tail ? "\t\tETRACE_TAIL_FIELDS\n" : ""
	printf "\tTP_fast_assign(\n\t\tETRACE_HEAD_ASSIGN;\n%s%s%s%s\t),\n", copy_values, \
		may ? "\t\t__entry->have = r->have;\n" : "", copy_strings, \
		tail ? "\t\tETRACE_TAIL_ASSIGN;\n" : ""
	printf "\tTP_printk(\"%%s\", ETRACE_PRINT(%s%s%s))\n);\n", ID, words, \
		tail ? ",\n\t\t  ETRACE_TAIL" : ""
}
