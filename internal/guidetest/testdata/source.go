// Package source is quoted.
package source

import "strings"

// Greet greets.
func Greet(who string) string {
	who = strings.TrimSpace(who)
	if who == "" {
		return "Hello"
	}
	return "Hello, " + who
}
