//go:build realclients

package realclients

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// result is a call as a result.
func (in inspector) result(t *testing.T, fails bool, tool, args string) *result {
	t.Helper()
	code := 0
	if fails {
		code = toolFailed
	}
	out := in.call(t, code, tool, args).Result
	r := &result{Structured: out.Structured, IsError: out.IsError}
	for _, block := range out.Content {
		r.Content = append(r.Content, map[string]any{"type": block.Type, "text": block.Text})
	}
	return r
}

// list lists the tools, with --strict if their schemas are our own.
func (in inspector) list(t *testing.T, options ...string) []tool {
	t.Helper()
	return in.run(t, 0, append(options, "--method", "tools/list")...).Result.Tools
}

func (in inspector) read(t *testing.T, uri string) []contents {
	t.Helper()
	return in.run(t, 0, "--method", "resources/read", "--uri", uri).Result.Contents
}

// The faces of the shop that have a tool for each function or domain.
func TestInspectorOfFaces(t *testing.T) {
	for _, face := range []struct {
		name string
		test func(*testing.T, inspector)
	}{
		{"plain", func(t *testing.T, in inspector) {
			plainList(t, in.list(t, "--strict"))
			plainCalls(t, in.result)
		}},
		{"facade", func(t *testing.T, in inspector) {
			facadeList(t, in.list(t, "--strict"))
			facadeCalls(t, in.result)
		}},
		{"disclosure", testDisclosure},
	} {
		url := serveHTTP(t, shop, "-face", face.name)
		stdio := []string{shop, "-face", face.name, "-stdio"}
		for _, tt := range []struct {
			name string
			inspector
		}{
			{"HTTP, session", inspector{[]string{url}, "legacy"}},
			{"HTTP, stateless", inspector{[]string{url}, "modern"}},
			{"stdio, session", inspector{stdio, "legacy"}},
			{"stdio, stateless", inspector{stdio, "modern"}},
		} {
			if tt.name == "stdio, session" && face.name != "disclosure" {
				continue // TestTypeScriptSDK has it: a process for each call takes time
			}
			t.Run(face.name+", "+tt.name, func(t *testing.T) {
				t.Parallel()
				face.test(t, tt.inspector)
			})
		}
	}
}

// MCP Inspector connects anew for each run: what one has read, no other may call
// (P15, P16). Where there are no sessions it may, with the grant.
func testDisclosure(t *testing.T, in inspector) {
	disclosureList(t, in.list(t, "--strict"))
	checkResource(t, in.run(t, 0, "--method", "resources/list").Result.Resources)
	if got := in.read(t, descriptions); len(got) != 1 || got[0].Text != noSelection {
		t.Errorf("reading without a selection: %+v", got)
	}
	uri := descriptions + "?tools=orders-get,nope"
	tools := checkRead(t, uri, in.read(t, uri), "orders-get", "nope")
	if nope := tools["nope"]; nope.Error != "Tool 'nope' not found" || len(nope.Available) != len(shopTools) {
		t.Errorf("a name that is not there: %+v", nope)
	}
	if got := in.result(t, true, "orders-get", getOrder); got.text() != required("orders-get") || got.Structured != nil {
		t.Errorf("a call after another session has read: %s, %s", got.text(), got.Structured)
	}
	grant := tools["orders-get"].Usage.Grant
	if stateless := len(in.target) == 1 && in.era == "modern"; (grant != "") != stateless {
		t.Fatalf("the grant is %q; without sessions = %t", grant, stateless)
	}
	if grant != "" {
		if got := in.result(t, false, "orders-get", fmt.Sprintf(`{"order_id":"ORD-1001","_grant":%q}`, grant)).text(); !strings.HasPrefix(got, orderStart) {
			t.Errorf("a call with the grant: %s", got)
		}
	}
}

// Three servers from npm behind two of the faces.
func TestInspectorOfAggregatedFaces(t *testing.T) {
	servers := []server{everything(), files(t), memory(t)}
	var entries []string
	for _, s := range servers {
		entries = append(entries, s.entry())
	}
	config := writeConfig(t, entries...)
	t.Run("plain", func(t *testing.T) {
		url := serveHTTP(t, aggregator, "-config", config, "-face", "plain")
		got := make(map[string]tool)
		for _, tool := range (inspector{[]string{url}, "modern"}).list(t) {
			got[tool.Name] = tool
		}
		for _, s := range servers {
			for _, want := range s.direct(t).list(t) {
				name := s.label + "-" + functionOf(want.Name)
				if tool := got[name]; !sameJSON(tool.InputSchema, want.InputSchema) || tool.Description != want.Description {
					t.Errorf("%s: %q with %s, want %q with %s", name, tool.Description, tool.InputSchema, want.Description, want.InputSchema)
				}
				delete(got, name)
			}
		}
		for name := range got {
			t.Errorf("%s is of no server", name)
		}
		for _, era := range eras {
			in := inspector{[]string{url}, era}
			if got := in.ask(t, false, "everything-get_sum", `{"a":2,"b":40}`); got != "The sum of 2 and 40 is 42." {
				t.Errorf("%s: everything-get_sum: %s", era, got)
			}
			if got := in.ask(t, true, "files-read_text_file", `{"path":"/etc/hostname"}`); !strings.Contains(got, "Access denied") {
				t.Errorf("%s: files-read_text_file: %s", era, got)
			}
		}
	})
	t.Run("facade", func(t *testing.T) {
		url := serveHTTP(t, aggregator, "-config", config, "-face", "facade")
		checkNames(t, inspector{[]string{url}, "legacy"}.list(t, "--strict"), []string{"EverythingExecute", "FilesExecute", "MemoryExecute", "ToolsExecute"})
		for _, era := range eras {
			in := inspector{[]string{url}, era}
			got := in.result(t, false, "EverythingExecute", `{"cmd":"get_sum","params":{"a":2,"b":40}}`)
			if want := `{"ok":true,"cmd":"get_sum","data":"The sum of 2 and 40 is 42."}`; got.text() != want || string(got.Structured) != want {
				t.Errorf("%s: get_sum: %s, %s", era, got.text(), got.Structured)
			}
			if got := in.ask(t, true, "FilesExecute", `{"cmd":"read_text_file","params":{"path":"/etc/hostname"}}`); !strings.HasPrefix(got, `{"ok":false,"cmd":"read_text_file","error":"Access denied`) {
				t.Errorf("%s: read_text_file: %s", era, got)
			}
		}
	})
}

// sameJSON reports whether two documents say the same: clients put the members of
// schemas in an order of their own.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
