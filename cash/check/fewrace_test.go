//go:build race

package check_test

// There are fewer with the race detector, which makes each of them slower.
const (
	fewMessages   = 480
	soundMessages = 200
)
