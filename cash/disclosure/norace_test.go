//go:build !race

package disclosure_test

// manySessions is how many sessions come and go.
const manySessions = 10_000
