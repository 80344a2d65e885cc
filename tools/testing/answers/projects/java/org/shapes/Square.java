// SPDX-License-Identifier: GPL-2.0
package org.shapes;

public class Square implements Shape {
	private final int side;

	public Square(int side)
	{
		this.side = side;
	}

	public int area()
	{
		return side * side;
	}
}
