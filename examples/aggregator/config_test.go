package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// What config.yaml says, without starting any of it.
func TestConfig(t *testing.T) {
	t.Setenv("TMPDIR", "/elsewhere")
	cfg, err := config.Load("config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(here, "..", "..")
	want := []struct{ label, command, dir string }{
		{"shop", "go run ./examples/shop -stdio", root},
		{"everything", "npx -y @modelcontextprotocol/server-everything@2026.8.31", ""},
		{"files", "npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .", filepath.Join(here, "files")},
		{"memory", "npx -y @modelcontextprotocol/server-memory@2026.8.31", ""},
	}
	if len(cfg.Upstreams) != len(want) || len(cfg.Manifests) != 0 {
		t.Fatalf("%d upstreams and %d manifests, want %d and none", len(cfg.Upstreams), len(cfg.Manifests), len(want))
	}
	for i, s := range cfg.Upstreams {
		c, ok := s.Endpoint.(upstream.Command)
		line := strings.Join(append([]string{c.Path}, c.Args...), " ")
		if !ok || s.Label != want[i].label || line != want[i].command || c.Dir != want[i].dir {
			t.Errorf("upstream %d is %s: %s in %q, want %s: %s in %q", i, s.Label, line, c.Dir, want[i].label, want[i].command, want[i].dir)
		}
		if s.Description == "" {
			t.Errorf("upstream %s has no description", s.Label)
		}
		if c.Dir != "" {
			if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
				t.Errorf("upstream %s starts in a folder that is not there: %v", s.Label, err)
			}
		}
	}
	if memory := cfg.Upstreams[3].Endpoint.(upstream.Command).Env; memory[0] != "MEMORY_FILE_PATH=/elsewhere/aggregator-memory.jsonl" {
		t.Errorf("environment of memory: %q", memory)
	}
	if cfg.Name != "aggregator" || cfg.Version == "" || cfg.Pins.Mode != pin.FirstUse || cfg.Pins.File != "" {
		t.Errorf("name %q, version %q, pins %+v", cfg.Name, cfg.Version, cfg.Pins)
	}
}

// Every turn of the walk is for a server of config.yaml, and each has one.
func TestScript(t *testing.T) {
	cfg, err := config.Load("config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	turns := make(map[string]int)
	for _, turn := range script {
		turns[turn.label]++
	}
	for _, s := range cfg.Upstreams {
		if turns[s.Label] == 0 {
			t.Errorf("no turn is for %s", s.Label)
		}
		delete(turns, s.Label)
	}
	if len(turns) != 0 {
		t.Errorf("turns for servers that are not there: %v", turns)
	}
}
