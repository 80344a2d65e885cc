/* SPDX-License-Identifier: GPL-2.0 */
#include <stdbool.h>

int tested(int a, int b);
int not_tested(int a);
int weakly_tested(int a);
int no_difference(int a);
int known_to_be_none(int a);
int only_sanitizers_see(void);
int endless(bool more);
