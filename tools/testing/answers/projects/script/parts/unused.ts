// SPDX-License-Identifier: GPL-2.0
export const unused = 1;
