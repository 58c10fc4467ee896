//go:build race

package check

// Each server answers all rows, which takes the race detector seconds.
const rowStep = 6
