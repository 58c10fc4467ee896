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
