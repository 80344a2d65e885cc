// SPDX-License-Identifier: GPL-2.0
// Package words has the words of a file.
package words

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var text string

// All of them.
func All() []string {
	return strings.Fields(text)
}
