/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACK_H
#define STACK_H
class stack {
public:
	stack() : n(0) {}
	void push(long v);
	long pop();
private:
	long values[16];
	unsigned int n;
};
#endif
