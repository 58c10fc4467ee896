//go:build race

package disclosure_test

// manySessions is less with the race detector, which makes them five times as
// slow.
const manySessions = 2000
