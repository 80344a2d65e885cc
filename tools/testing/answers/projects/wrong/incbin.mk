# SPDX-License-Identifier: GPL-2.0
# bytes.bin is read by the assembler alone: no depfile has it.
OBJECTS += bytes.o
prog: bytes.o
bytes.o: ../src/bytes.S
	$(CC) $(CFLAGS) -MD -c -o $@ $<
