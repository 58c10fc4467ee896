package pin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

func ExampleOpenFile() {
	dir, err := os.MkdirTemp("", "pins")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	pins, err := pin.OpenFile(filepath.Join(dir, "pins.json"))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	accepted := map[string]*pin.Definition{
		"create": {Name: "create", Description: "Create an order.", InputSchema: []byte(`{"type":"object"}`)},
	}
	if err := save(ctx, pins, "shop", accepted); err != nil {
		panic(err)
	}
	pinned, err := load(ctx, pins, "shop")
	fmt.Println(pinned["create"].Description, err)
	// Output: Create an order. <nil>
}

func openPins(t *testing.T, path string) *pin.File {
	t.Helper()
	pins, err := pin.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return pins
}

func TestW37FileText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	pins := openPins(t, path)
	ctx := context.Background()
	definitions := map[string]*pin.Definition{
		"pay": {Name: "pay", Title: "Pay", Description: "Pays <b>\u200b\U000e0068é\u00a0\x7f", InputSchema: raw(`{"z":1.0,"a":[ 9007199254740993 ],"h":"` + "\u202e" + `"}`), Annotations: raw(`{"readOnlyHint":false}`)},
		"a":   {Name: "a"},
	}
	for label, d := range map[string]map[string]*pin.Definition{"shop": definitions, "empty": {}} {
		if err := save(ctx, pins, label, d); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{
  "version": 1,
  "upstreams": {
    "empty": {
      "tools": []
    },
    "shop": {
      "tools": [
        {
          "name": "a",
          "hash": "%s"
        },
        {
          "name": "pay",
          "hash": "%s",
          "title": "Pay",
          "description": "Pays <b>\u200b\udb40\udc68é\u00a0\u007f",
          "inputSchema": {
            "z": 1.0,
            "a": [
              9007199254740993
            ],
            "h": "\u202e"
          },
          "annotations": {
            "readOnlyHint": false
          }
        }
      ]
    }
  }
}
`
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(want, definitions["a"].Hash(), definitions["pay"].Hash()); string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, pins := range []*pin.File{pins, openPins(t, path)} {
		got, err := load(ctx, pins, "shop")
		if err != nil || len(got) != 2 {
			t.Fatalf("%d tools, %v", len(got), err)
		}
		for name, d := range definitions {
			if text := d.Difference(got[name]); text != "" || got[name].Hash() != d.Hash() {
				t.Errorf("%s is not as it was: %s", name, text)
			}
		}
		if got := string(got["pay"].InputSchema); got != `{"z":1.0,"a":[9007199254740993],"h":"\u202e"}` {
			t.Errorf("input schema %s", got)
		}
	}
}

func TestW37FileHostile(t *testing.T) {
	hash := (&pin.Definition{Name: "a"}).Hash()
	tool := `{"name":"a","hash":"` + hash + `"}`
	file := func(tools string) string {
		return `{"version":1,"upstreams":{"shop":{"tools":` + tools + `}}}`
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "line 1: empty input at byte 0"},
		{"cut", "{\n\"version\": 1,\n\"upstreams\": {", "line 3: unexpected end of input at byte 30"},
		{"two documents", "{}\n{}", "line 2: data after the JSON document at byte 3"},
		{"array", "[]", "want an object, got type array"},
		{"no version", `{"upstreams":{}}`, "no version"},
		{"version", `{"version":2}`, "version 2 is not known, only 1"},
		{"version as text", `{"version":"1\u200b"}`, `version "1[U+200B]" is not known, only 1`},
		{"unknown", `{"version":1,"x\u001b":1}`, `unknown member "x[U+001B]"`},
		{"unknown of an upstream", `{"version":1,"upstreams":{"shop":{"tool":[]}}}`, `upstream "shop": unknown member "tool"`},
		{"unknown of a tool", file(`[{"name":"a","hash":"` + hash + `","Title":"x"}]`), `upstream "shop": tool 1, "a": unknown member "Title"`},
		{"no label", `{"version":1,"upstreams":{"":{}}}`, "upstream without a label"},
		{"upstreams", `{"version":1,"upstreams":[]}`, "want an object, got type array"},
		{"upstream", `{"version":1,"upstreams":{"shop":7}}`, `upstream "shop": want an object, got type number`},
		{"tools", file(`{}`), `upstream "shop": tools: want an array, got type object`},
		{"tool", file(`[7]`), `upstream "shop": tool 1: want an object, got type number`},
		{"functions", `{"version":1,"upstreams":{"shop":{"functions":{}}}}`, `upstream "shop": functions: want an array, got type object`},
		{"function with the hash of a tool", `{"version":1,"upstreams":{"shop":{"functions":[` + tool + `]}}}`, `upstream "shop": function 1, "a": its hash is of another definition; restore it, or take it out of the file and accept it anew`},
		{"function and tool", `{"version":1,"upstreams":{"shop":{"tools":[` + tool + `],"functions":[{"name":"a","hash":"` + (&pin.Definition{Name: "a", Function: true}).Hash() + `"}]}}}`, `upstream "shop": function 1, "a": it is pinned twice`},
		{"no name", file(`[{"hash":"` + hash + `"}]`), `upstream "shop": tool 1: no name`},
		{"wrong type", file(`[{"name":"a","hash":7}]`), `upstream "shop": tool 1, "a": hash: want a string, got type number`},
		{"schema", file(`[{"name":"a","inputSchema":[]}]`), `upstream "shop": tool 1, "a": inputSchema: want an object, got type array`},
		{"twice", file(`[` + tool + `,` + tool + `]`), `upstream "shop": tool 2, "a": it is pinned twice`},
		{"duplicate key", "{\"version\":1,\n\"upstreams\":{},\n\"upstreams\":{}}", `line 3: duplicate key "upstreams" at byte 30`},
		{"no hash", file(`[{"name":"a"}]`), `upstream "shop": tool 1, "a": its hash is of another definition; restore it, or take it out of the file and accept it anew`},
		{"edited", file(`[{"name":"a","description":"x","hash":"` + hash + `"}]`), `upstream "shop": tool 1, "a": its hash is of another definition; restore it, or take it out of the file and accept it anew`},
		{"not UTF-8", file("[\"\xff\"]"), "line 1: invalid UTF-8 at byte 44"},
		{"deep", strings.Repeat(`{"a":`, 1<<20), "line 1: arrays and objects nested deeper than 69 at byte 345"},
		{"large", strings.Repeat(" ", 64<<20) + "{}", "more than 67108864 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pins.json")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := pin.OpenFile(path)
			if want := "reading pin file " + path + ": " + test.want; err == nil || err.Error() != want {
				t.Errorf("got\n%v\nwant\n%s", err, want)
			}
		})
	}
}

func TestW37FilePlaces(t *testing.T) {
	dir := t.TempDir()
	if _, err := pin.OpenFile(dir); err == nil || !strings.Contains(err.Error(), dir+": not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pin.OpenFile(filepath.Join(file, "pins.json")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("below a file: %v", err)
	}
	missing := filepath.Join(dir, "missing", "pins.json")
	pins := openPins(t, missing)
	if err := save(context.Background(), pins, "shop", byName(define("a"))); err == nil || !strings.HasPrefix(err.Error(), "writing pin file "+missing+": ") {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if got, err := load(context.Background(), pins, "shop"); got != nil || err != nil {
		t.Errorf("then: %v, %v", got, err)
	}
}

// TestW37FileEdited changes the file while it is open.
func TestW37FileEdited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	ctx := context.Background()
	pins, other := openPins(t, path), openPins(t, path)
	if err := save(ctx, pins, "shop", byName(define("a=1"))); err != nil {
		t.Fatal(err)
	}
	if err := save(ctx, other, "files", byName(define("b"))); err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"shop", "files"} {
		if got, err := load(ctx, pins, label); len(got) != 1 || err != nil {
			t.Errorf("%s: %v, %v", label, got, err)
		}
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, good[:len(good)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(ctx, pins, "shop"); err == nil {
		t.Error("read half of the file")
	}
	if err := save(ctx, pins, "shop", nil); err == nil {
		t.Error("wrote over what could not be read")
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := load(ctx, pins, "shop"); len(got) != 1 || err != nil {
		t.Errorf("put right: %v, %v", got, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := load(ctx, pins, "shop"); got != nil || err != nil {
		t.Errorf("removed: %v, %v", got, err)
	}
}

func TestW37FileRefusesToSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	pins := openPins(t, path)
	ctx := context.Background()
	if err := save(ctx, pins, "shop", byName(define("a=1"))); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := save(ended, pins, "shop", byName(define("a=2"))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := load(ended, pins, "shop"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for name, d := range map[string]*pin.Definition{
		"not JSON":   {Name: "a", InputSchema: raw(`{"a":`)},
		"not strict": {Name: "a", InputSchema: raw(`{"a":1,"a":2}`)},
		"not UTF-8":  {Name: "a", Description: "\xff"},
		"no object":  {Name: "a", Annotations: raw(`true`)},
		"too deep":   {Name: "a", Annotations: raw(strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65))},
		"too large":  {Name: "a", Description: strings.Repeat("x", 64<<20)},
	} {
		if err := save(ctx, pins, "shop", map[string]*pin.Definition{"a": d}); err == nil || !strings.HasPrefix(err.Error(), "writing pin file "+path) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	if after, err := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("%s, %v", after, err)
	}
	if got, err := load(ctx, pins, "shop"); got["a"] == nil || got["a"].Description != "1" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestW37FileConcurrent lets four goroutines of one process and four other processes change one file: no change is
// lost.
func TestW37FileConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	ours := openPins(t, path)
	ctx := context.Background()
	var all sync.WaitGroup
	for i := range 8 {
		label, pins := fmt.Sprintf("up%d", i), ours
		if i%2 == 1 { // locks tell files apart, not processes
			pins = openPins(t, path)
		}
		all.Go(func() {
			for n := range 5 {
				want := fmt.Sprintf("a=%d", n)
				if err := save(ctx, pins, label, byName(define(want))); err != nil {
					t.Error(err)
				}
				if got, err := load(ctx, pins, label); err != nil || tell(sorted(got)) != want {
					t.Errorf("%s: %s, %v, want %s", label, tell(sorted(got)), err, want)
				}
				if _, err := pin.OpenFile(path); err != nil { // never half of it
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	pins := openPins(t, path)
	for i := range 8 {
		if got, err := load(ctx, pins, fmt.Sprintf("up%d", i)); err != nil || tell(sorted(got)) != "a=4" {
			t.Errorf("up%d: %s, %v", i, tell(sorted(got)), err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 1 || err != nil {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

// FuzzFile writes what could be read, and reads it again.
func FuzzFile(f *testing.F) {
	d := &pin.Definition{Name: "a", Title: "\u200b", InputSchema: raw(`{"b":[1.0,{}],"c":"\u202e"}`)}
	data, err := pin.EncodePins(map[string]pin.Pins{"shop": {Definitions: map[string]*pin.Definition{"a": d}}, "files": {}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1,"upstreams":{"shop":{"tools":[{"name":"a","hash":"` + (&pin.Definition{Name: "a"}).Hash() + `"}]}}}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"upstreams":{"shop":{"functions":[{"name":"b.a","hash":"` + (&pin.Definition{Name: "b.a", Function: true}).Hash() + `"}],"tools":[]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		pins, err := pin.DecodePins(data)
		if err != nil {
			if text := err.Error(); len(text) > 1000 || strings.ContainsFunc(text, hidden) {
				t.Errorf("not a clean line: %q", text)
			}
			return
		}
		data, err = pin.EncodePins(pins)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pin.DecodePins(data)
		if err != nil || len(again) != len(pins) {
			t.Fatalf("%d upstreams of %d, %v", len(again), len(pins), err)
		}
		for label, before := range pins {
			after := again[label].Definitions
			for name, d := range before.Definitions {
				if after[name] == nil || after[name].Hash() != d.Hash() || len(after) != len(before.Definitions) || again[label].Revision != before.Revision {
					t.Errorf("upstream %q, tool %q is not as it was", label, name)
				}
			}
		}
	})
}
