/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H
#include "config.h"
#ifdef __cplusplus
extern "C"
#endif
long option_of(int argc, char **argv);
#endif
