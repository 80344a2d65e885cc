// SPDX-License-Identifier: GPL-2.0
export type Side = number;

export function area(side: Side): number {
	return side * side;
}
