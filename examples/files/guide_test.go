package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// The guide shows steps of the walk, which TestWalk compares with what the program prints.
func TestGuide(t *testing.T) {
	walk, err := os.ReadFile("testdata/walk.txt")
	if err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(string(walk), "\n\n")
	(&guidetest.Guide{Output: func(block, _ string) string {
		n, err := strconv.Atoi(strings.Fields(block)[1])
		if err != nil || n < 1 || n > len(steps) {
			t.Fatalf("there is no step %s", block)
		}
		_, step, _ := strings.Cut(steps[n-1], "\n") // without its heading
		return step
	}}).Test(t)
}
