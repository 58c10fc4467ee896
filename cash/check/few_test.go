//go:build !race

package check_test

// How many messages the tests send by themselves.
const (
	fewMessages   = 2000
	soundMessages = 1000
)
