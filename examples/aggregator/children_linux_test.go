package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantProcesses fails the test if there are not so many processes that have
// the folder of the tests in their command line: the shop by its name, the
// aggregator by its configuration.
func wantProcesses(t *testing.T, want int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no processes: %v", err)
	}
	var list []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), work) { // an error is one that has just ended
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	if len(list) != want {
		t.Errorf("%d processes, want %d:\n%s", len(list), want, strings.Join(list, "\n"))
	}
}
