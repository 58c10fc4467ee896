package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// The guide shows steps of the walks, which TestWalk compares with what the program prints.
func TestGuide(t *testing.T) {
	(&guidetest.Guide{Output: func(block, _ string) string {
		words := strings.Fields(block) // text FILE STEP
		walk, err := os.ReadFile(filepath.Join("testdata", words[1]))
		if err != nil {
			t.Fatal(err)
		}
		begin := "\n" + words[2] + ". "
		if words[2] == "costs" {
			begin = "\nWhat each face costs"
		}
		_, step, ok := strings.Cut(string(walk), begin)
		if !ok {
			t.Fatalf("%s has no step %s", words[1], words[2])
		}
		if words[2] == "costs" {
			_, table, _ := strings.Cut(step, "\n\n")
			table, _, _ = strings.Cut(table, "\n\n")
			return trimmed(table)
		}
		step, _, _ = strings.Cut(step, "\n\n")
		_, step, _ = strings.Cut(step, "\n") // without its heading
		return trimmed(step)
	}}).Test(t)
}

// trimmed has no spaces at the ends of lines.
func trimmed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n")
}
