// SPDX-License-Identifier: GPL-2.0
package shapes

func square(side int) int {
	return side * side
}
