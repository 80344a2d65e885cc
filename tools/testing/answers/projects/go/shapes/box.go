// SPDX-License-Identifier: GPL-2.0
package shapes

// Box is the surface of a cube.
func Box(side int) int {
	return 6 * square(side)
}
