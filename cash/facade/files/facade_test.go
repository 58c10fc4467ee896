package files_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestF16ThroughTheFacade makes a roundtrip with the domain's one tool. At the level of detail that it has by default,
// a long content is an excerpt, and full has all of it: F13 to F16 want all of this.
func TestF16ThroughTheFacade(t *testing.T) {
	old := "\ufeffold \x1b[31m\x00\u202e<&>\u2028\r\n" + strings.Repeat("line\n", 5000)
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("a.ts", old)
	w.write("b.ts", "b\n")
	level := registry.Standard
	execute := executor(w, &level)

	start := execute("roundtrip_start", object{"paths": []string{"a.ts", "b.ts", "c.ts"}}, "")
	excerpt := start["files"].([]any)[0].(object)
	if cut := excerpt["content"].(string); !strings.HasPrefix(old, cut) || len(cut) < 7000 || len(cut) > 8000 || excerpt["next_line"] != float64(strings.Count(cut, "\n")+1) {
		t.Errorf("the excerpt has %d bytes, and goes on at %v", len(cut), excerpt["next_line"])
	}
	level = registry.Full
	start = execute("roundtrip_start", object{"paths": []string{"a.ts", "b.ts", "c.ts"}}, "")
	level = registry.Standard
	want := object{"a.ts": hash(old), "b.ts": hash("b\n"), "c.ts": nil}
	if !reflect.DeepEqual(start["manifest"], want) || start["files"].([]any)[0].(object)["content"] != old {
		t.Errorf("started %.500v", start)
	}
	args := commitArgs(start["manifestId"].(string), "replace", "a.ts", "new\n", "b.ts", "B\n", "c.ts", "C\n")
	w.write("b.ts", "theirs\n")
	preview := execute("roundtrip_preview", args, "")
	if b := preview["files"].([]any)[1].(object); b["conflict"] == nil || b["diff"] != "--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-theirs\n+B\n" {
		t.Errorf("previewed %v", b)
	}
	if !reflect.DeepEqual(preview["conflicts"], []any{"b.ts"}) {
		t.Errorf("conflicts %v", preview["conflicts"])
	}
	execute("roundtrip_commit", args, "b.ts")
	w.want("a.ts", old, "b.ts", "theirs\n")
	w.write("b.ts", "b\n")
	results := make(map[string]any)
	for _, f := range execute("roundtrip_commit", args, "")["files"].([]any) {
		results[f.(object)["path"].(string)] = f.(object)["result"]
	}
	if want := (object{"a.ts": "written", "b.ts": "written", "c.ts": "created"}); !reflect.DeepEqual(results, want) {
		t.Errorf("committed %v", results)
	}
	w.want("a.ts", "new\n", "b.ts", "B\n", "c.ts", "C\n")
	execute("roundtrip_commit", args, "manifestId")
	delete(args, "mode")
	execute("roundtrip_commit", args, "mode")
}

// executor returns what runs a command of the domain files, and returns its data: of
// one that fails, nothing. Its error has a word, which is empty where there is none.
func executor(w *world, level *registry.Detail) func(cmd string, params any, word string) object {
	w.t.Helper()
	respond := responder(w, level)
	return func(cmd string, params any, word string) object {
		w.t.Helper()
		r := respond(cmd, params)
		var out object
		if r.OK && json.Unmarshal(r.Data, &out) != nil || r.OK != (word == "") || !strings.Contains(r.Error, word) {
			w.t.Fatalf("%s: %.500s%s; want an error with %q", cmd, r.Data, r.Error, word)
		}
		return out
	}
}

// executorText returns what runs a command, and returns its error.
func executorText(w *world, level *registry.Detail) func(cmd string, params any) string {
	respond := responder(w, level)
	return func(cmd string, params any) string { return respond(cmd, params).Error }
}

func responder(w *world, level *registry.Detail) func(cmd string, params any) *facade.Response {
	w.t.Helper()
	srv := facade.NewServer(registryOf(w), nil)
	return func(cmd string, params any) *facade.Response {
		return srv.Execute(w.t.Context(), "files", &facade.Request{Cmd: cmd, Params: []byte(toJSON(params)), Detail: *level})
	}
}

// registryOf opens the files of a world, in the namespace files.
func registryOf(w *world) *registry.Registry {
	w.t.Helper()
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := files.Open(root, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { f.Close(); root.Close() })
	reg := registry.New(nil)
	reg.Namespace("files", "Files.").Add(f.Functions()...)
	return reg
}
