//go:build race

package upstream_test

const raceFactor = 50
