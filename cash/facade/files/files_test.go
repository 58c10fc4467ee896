package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// A world is a folder whose files are served.
type world struct {
	t    testing.TB
	dir  string
	now  time.Time
	pipe *registry.Pipeline
}

func newWorld(t testing.TB, o *files.Options, content ...string) *world {
	t.Helper()
	w := &world{t: t, dir: durabletest.Scratch(t), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for i := 0; i < len(content); i += 2 {
		w.write(content[i], content[i+1])
	}
	if o == nil {
		o = new(files.Options)
	}
	if o.Now == nil {
		o.Now = func() time.Time { return w.now }
	}
	w.serve(o, nil)
	return w
}

// serve opens the files, with faults.
func (w *world) serve(o *files.Options, fault func(op, name string) error) *files.Files {
	w.t.Helper()
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := files.OpenFaulty(root, o, fault)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := errors.Join(f.Close(), root.Close()); err != nil {
			w.t.Error(err)
		}
	})
	w.pipe = pipeline(f)
	return f
}

func pipeline(f *files.Files) *registry.Pipeline {
	reg := registry.New(nil)
	reg.Namespace("files", "Files.").Add(f.Functions()...)
	return registry.NewPipeline(reg, &registry.PipelineOptions{ExactKeys: true, MaxArguments: 64 << 20})
}

// write makes a file behind the back of the functions.
func (w *world) write(p, content string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(p))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

// object is a JSON object.
type object = map[string]any

func call(ctx context.Context, pipe *registry.Pipeline, function string, args any) (object, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	res, err := pipe.Call(ctx, &registry.Request{Namespace: "files", Function: function, Arguments: data})
	if err != nil {
		return nil, err
	}
	var out object
	return out, json.Unmarshal([]byte(res.Text()), &out)
}

func (w *world) call(function string, args any) object {
	w.t.Helper()
	out, err := call(w.t.Context(), w.pipe, function, args)
	if err != nil {
		w.t.Fatalf("%s: %v", function, err)
	}
	return out
}

// refuse calls a function that must refuse, with these words in its error.
func (w *world) refuse(kind registry.Kind, function string, args any, words ...string) *registry.Error {
	w.t.Helper()
	out, err := call(w.t.Context(), w.pipe, function, args)
	if err == nil {
		w.t.Fatalf("%s answers %v; want an error", function, out)
	}
	e := registry.AsError(err)
	if e.Kind != kind {
		w.t.Errorf("%s: kind %s, want %s: %v", function, e.Kind, kind, err)
	}
	for _, word := range words {
		if !strings.Contains(e.Error(), word) {
			w.t.Errorf("%s: %q does not say %q", function, e, word)
		}
	}
	if strings.Contains(e.Error(), w.dir) {
		w.t.Errorf("%s: %q says where the root is", function, e)
	}
	return e
}

// tree returns the files of a folder, the journal left out, by path, and folders
// with a slash.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".cash-files/lock" || rel == ".cash-files/turn" || rel == ".cash-files" || rel == ".":
		case e.IsDir():
			all[rel+"/"] = ""
		case e.Type().IsRegular():
			data, err := os.ReadFile(path)
			all[rel] = string(data)
			return err
		default:
			all[rel] = e.Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// want checks what is in the folder, given as path, content, path, content …
func (w *world) want(content ...string) {
	w.t.Helper()
	got := tree(w.t, w.dir)
	for i := 0; i < len(content); i += 2 {
		if data, ok := got[content[i]]; !ok || data != content[i+1] {
			w.t.Errorf("%s is %q, want %q", content[i], data, content[i+1])
		}
		delete(got, content[i])
	}
	for p := range got {
		if !strings.HasSuffix(p, "/") {
			w.t.Errorf("%s is there", p)
		}
	}
}

// start begins a roundtrip.
func (w *world) start(paths ...string) string {
	w.t.Helper()
	return w.call("roundtrip_start", object{"paths": paths})["manifestId"].(string)
}

// changes are given as path, content, path, content …
func changes(content ...string) []object {
	var all []object
	for i := 0; i < len(content); i += 2 {
		all = append(all, object{"path": content[i], "content": content[i+1]})
	}
	return all
}

func commitArgs(id, mode string, content ...string) object {
	return object{"manifestId": id, "mode": mode, "changes": changes(content...)}
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func fromJSON(text string) (out object) {
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}
