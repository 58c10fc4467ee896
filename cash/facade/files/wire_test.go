package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

// Renaming a name in four files of 16 KB costs a model less than 3 KB of output and 12 KB of input.
func TestF16RenameOnTheWire(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	var paths []string
	for i := range 4 {
		var b strings.Builder
		for b.Len() < 16<<10 {
			if b.Len()%4000 < 40 {
				b.WriteString("\tresult, err := oldName(ctx, \"argument\", 12)\n")
			}
			fmt.Fprintf(&b, "\tvalue%d := other.Function(%d, \"some text of an ordinary line\")\n", b.Len(), i)
		}
		paths = append(paths, fmt.Sprintf("internal/package%d/file.go", i))
		w.write(paths[i], b.String())
	}
	client := cashtest.Connect(t, facade.NewServer(registryOf(w), nil))
	written, read := 0, 0
	execute := func(args object) object {
		t.Helper()
		written += len(toJSON(object{"name": "FilesExecute", "arguments": args}))
		r := client.Tool("FilesExecute", args)
		if r.IsError {
			t.Fatalf("%v: %s", args, r.Text)
		}
		read += len(toJSON(r.Raw))
		if r.Raw.StructuredContent != nil || len(r.Raw.Content) != 1 {
			t.Errorf("%v: the content is sent more than once", args)
		}
		return fromJSON(r.Raw.Content[0].(*mcp.TextContent).Text)["data"].(object)
	}
	matches := execute(object{"cmd": "search", "params": object{"text": "oldName"}})["matches"].([]any)
	id := execute(object{"cmd": "roundtrip_start", "detail": "minimal", "params": object{"paths": paths}})["manifestId"]
	var changes []object
	for _, p := range paths {
		changes = append(changes, oneEdit(p, "oldName", "newName", true))
	}
	preview := execute(object{"cmd": "roundtrip_preview", "params": object{"manifestId": id, "changes": changes}})["previewId"]
	execute(object{"cmd": "roundtrip_commit", "params": object{"previewId": preview}})
	for _, text := range tree(t, w.dir) {
		if strings.Contains(text, "oldName") {
			t.Error("the old name is there")
		}
	}
	t.Logf("%d occurrences: %d bytes of output, %d of input", len(matches), written, read)
	if len(matches) < 10 || written >= 3000 || read >= 12_000 {
		t.Errorf("%d occurrences, %d bytes of output, %d of input", len(matches), written, read)
	}
}

// TestF2DescriptionOnTheWire holds that the description of the tool tells the members of a change, and the command help
// tells what they mean, so that a model need not guess.
func TestF2DescriptionOnTheWire(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("a.txt", "one two two\n")
	client := cashtest.Connect(t, facade.NewServer(registryOf(w), nil))
	description := client.Tools()[0].Description
	for _, want := range []string{
		"put(path, content?, encoding?, edits?: [{old, new, all?}], diff?, expect?) [destructive]: ",
		"edits (old is replaced by new; old is there once, or set all) or a unified diff",
		"roundtrip_preview(manifestId?, previewId?, changes?: [{path, content?, encoding?, edits?: [{old, new, all?}], diff?}], mode?): ",
		"its previewId then commits just that", "those of a previewId", "get their contents, hashes and the manifestId",
	} {
		if !strings.Contains(description, want) {
			t.Errorf("the description has no %q: %s", want, description)
		}
	}
	for cmd, wants := range map[string][]string{
		"put":              {`"edits[].old","type":"string","required":true,"description":"Text to replace. It must occur exactly once."`, `"edits[].new"`, `Replace every occurrence.`, `a unified diff of the file`},
		"roundtrip_commit": {`"changes[].edits[].old"`, `"changes[].diff"`, `"name":"previewId","type":"string","description":"From roundtrip_preview: takes its changes.`, "One of: replace, add_only, update_only."},
	} {
		r := client.Tool("FilesExecute", object{"cmd": "help", "params": object{"command": cmd}})
		for _, want := range wants {
			if r.IsError || !strings.Contains(r.Text, want) {
				t.Errorf("the help of %s has no %q: %s", cmd, want, r.Text)
			}
		}
	}
	r := client.Tool("FilesExecute", object{"cmd": "put", "params": object{"path": "a.txt", "edits": []object{{"old": "one", "new": "1"}, {"old": "two", "new": "2", "all": true}}}})
	if r.IsError {
		t.Errorf("put: %s", r.Text)
	}
	w.want("a.txt", "1 2 2\n")
}
