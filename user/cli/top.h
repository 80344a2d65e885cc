/* SPDX-License-Identifier: GPL-2.0 */
/* The view of a running build, shared by etrace top and etrace run --top. */
#ifndef ETRACE_CLI_TOP_H
#define ETRACE_CLI_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "show/top_screen.h"

struct top;

/**
 * top_open - begin an empty view; the terminal changes with the first frame
 * @pid_bits: as the module's bits_of_real_pid
 * @before: an earlier recording, from which the time remaining is estimated; or NULL
 * @quit: help text about the key q
 *
 * Return: NULL after a message.
 */
struct top *top_open(unsigned int pid_bits, const char *before, const char *quit);
void top_close(struct top *t);

/** top_model - the state that it shows; feed events to it */
struct top_model *top_model(struct top *t);

/** top_source - set the name of the source for the title; @source must stay valid */
void top_source(struct top *t, const char *source);

/** top_live - set whether the build still runs on this machine, so that the view's clock runs */
void top_live(struct top *t, bool live);

/** top_fd - a descriptor that is readable when a key was pressed or the terminal was closed */
int top_fd(const struct top *t);

/**
 * top_keys - handle the keys that were pressed
 *
 * Return: false to end the view, because q was pressed or the terminal was closed.
 */
bool top_keys(struct top *t);

/** top_show - draw a frame, if one is due */
void top_show(struct top *t);

/** top_wait - wait until a key was pressed or a frame is due.  Return: as top_keys(). */
bool top_wait(struct top *t);

/** top_pause - release the terminal until the next frame */
void top_pause(struct top *t);

#endif
