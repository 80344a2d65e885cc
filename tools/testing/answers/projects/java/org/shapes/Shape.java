// SPDX-License-Identifier: GPL-2.0
package org.shapes;

public interface Shape {
	int area();
}
