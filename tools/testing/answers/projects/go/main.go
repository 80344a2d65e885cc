// SPDX-License-Identifier: GPL-2.0
package main

import (
	"fmt"

	"example.org/areas/shapes"
	"example.org/areas/words"
)

func main() {
	for _, w := range words.All() {
		fmt.Println(w, shapes.Box(len(w)))
	}
}
