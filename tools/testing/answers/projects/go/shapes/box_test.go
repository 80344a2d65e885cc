// SPDX-License-Identifier: GPL-2.0
package shapes

import "testing"

func TestBox(t *testing.T) {
	if Box(2) != 24 {
		t.Fail()
	}
}
