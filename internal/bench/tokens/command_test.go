//go:build realclients

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// TestCommand: the command cash tokens, on the running servers, has the figures of the first table: the definitions of
// the servers as they list them, and those of each face.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "cash")
	if out, err := exec.Command("go", "-C", filepath.Join("..", "..", ".."), "build", "-o", binary, "./cash/cmd/cash").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type faceCost struct {
		Face        cost.Face
		Definitions int
	}
	type bill struct {
		Functions int
		Server    struct{ Definitions, Instructions int }
		Faces     []faceCost
	}
	measured := func(args ...string) *bill {
		cmd := exec.Command(binary, append([]string{"tokens", "-json", "-resources"}, args...)...)
		var log strings.Builder
		cmd.Stderr = &log
		out, err := cmd.Output()
		b := new(bill)
		if err == nil {
			err = json.Unmarshal(out, b)
		}
		if err != nil {
			t.Fatalf("%q: %v\n%s%s", args, err, out, &log)
		}
		return b
	}
	tools, err := recordedTools(servers...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSet(tools)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{
		"files": {"mcp-server-filesystem", dir}, "memory": {"mcp-server-memory"}, "everything": {"mcp-server-everything"},
	}
	file := "upstreams:\n"
	functions, listed := 0, 0
	for _, label := range servers {
		line := append([]string{program(t, "node"), program(t, lines[label][0])}, lines[label][1:]...)
		quoted, _ := json.Marshal(line)
		file += fmt.Sprintf("  - {label: %s, command: %s}\n", label, quoted)
		b := measured(append([]string{"--"}, line...)...)
		functions += b.Functions
		listed += b.Server.Definitions - b.Server.Instructions
	}
	want, err := bills(t.Context(), s, &task{}, faces, recorded(s))
	if err != nil {
		t.Fatal(err)
	}
	if listed != want[0].Definitions {
		t.Errorf("the servers list %d tokens, the table has %d", listed, want[0].Definitions)
	}
	same := func(b *bill, faces []column) {
		t.Helper()
		for _, column := range faces {
			i := slices.IndexFunc(b.Faces, func(f faceCost) bool { return f.Face == column.face })
			j := slices.Index(faces, column) + 1
			if i < 0 || b.Faces[i].Definitions != want[j].Definitions {
				t.Errorf("%s: %+v, the table has %d", column.name, b.Faces, want[j].Definitions)
			}
		}
	}
	// The recorded tools, which TestRecordings compares with the servers.
	var doc struct {
		Tools []json.RawMessage `json:"tools"`
	}
	for _, tool := range tools {
		doc.Tools = append(doc.Tools, []byte(strings.Replace(string(tool.recorded), `"name":"`, `"name":"`+tool.server+".", 1)))
	}
	catalog := filepath.Join(dir, "catalog.json")
	writeFile(t, catalog, string(asJSON(doc)))
	if b := measured(catalog); b.Functions != len(tools) {
		t.Errorf("the catalog has %d functions, want %d", b.Functions, len(tools))
	} else {
		same(b, faces[1:])
	}
	// The running servers. An aggregator can ask its user, so the server everything lists one tool more for it. The
	// faces whose definitions do not depend on the number of tools have the same figures.
	config := filepath.Join(dir, "tools.yaml")
	writeFile(t, config, file)
	b := measured(config)
	if functions != len(tools)+1 || b.Functions != functions {
		t.Errorf("there are %d functions, %d behind one server, want %d", functions, b.Functions, len(tools)+1)
	}
	same(b, faces[1:3])
}
