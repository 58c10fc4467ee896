// Command files gives a model the files of a folder as one tool, FilesExecute. It changes several
// files at once or none.
//
//	go run ./examples/files                shows a conversation, in a folder made for it
//	go run ./examples/files -dir FOLDER    MCP over standard input and output
//
// # Limits
//
// Every client may read and change everything in the folder.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

func main() {
	dir := flag.String("dir", "", "serve the files of a `folder`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *dir, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// run serves a folder. Without one it shows a conversation in a temporary folder.
func run(ctx context.Context, dir string, out io.Writer) error {
	do := func(srv *facade.Server) error { return serve(ctx, srv) }
	if dir == "" {
		made, err := os.MkdirTemp("", "files")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		if err := os.WriteFile(filepath.Join(made, "notes.md"), []byte("# Notes\n\nBuy bread.\n"), 0o644); err != nil {
			return err
		}
		dir, do = made, func(srv *facade.Server) error { return walk(ctx, srv, out) }
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := files.Open(root, nil)
	if err != nil {
		return err
	}
	reg := registry.New(nil)
	reg.Namespace("files", "The files of a folder.").Add(f.Functions()...)
	srv := facade.NewServer(reg, &facade.Options{Name: "files", Version: "1.0.0"})
	return errors.Join(do(srv), f.Close())
}

func serve(ctx context.Context, srv *facade.Server) error {
	err := srv.Run(ctx, &mcp.StdioTransport{})
	if ctx.Err() != nil {
		return nil // stopped by a signal, as intended
	}
	return err
}

// walk edits two files at once and prints the messages.
func walk(ctx context.Context, srv *facade.Server, out io.Writer) error {
	ids := make(map[string]string) // what is shown of ids, by id
	for _, step := range []struct{ why, cmd, params string }{
		{"What is there?", "list", `{}`},
		{"Where is the bread?", "search", `{"pattern":"[Bb]read","glob":"*.md"}`},
		{"Begin to edit.", "roundtrip_start", `{"paths":["notes.md","todo.md"]}`},
		{"What would that do?", "roundtrip_preview", `{"manifestId":"ID","changes":[{"path":"notes.md","edits":[{"old":"bread","new":"bread and salt"}]},{"path":"todo.md","content":"- bake\n"}]}`},
		{"Somebody else writes one of the files.", "put", `{"path":"todo.md","content":"- sleep\n"}`},
		{"So that nothing is written.", "roundtrip_commit", `{"previewId":"PREVIEW"}`},
		{"Look at that file alone again.", "roundtrip_start", `{"manifestId":"ID","paths":["todo.md"]}`},
		{"Send its change alone again.", "roundtrip_commit", `{"previewId":"PREVIEW","changes":[{"path":"todo.md","edits":[{"old":"- sleep\n","new":"- bake\n- sleep\n"}]}]}`},
		{"Rename a file.", "move", `{"path":"todo.md","to":"plans/today.md"}`},
		{"What is there now?", "list", `{"recursive":true}`},
	} {
		params := step.params
		for id, shown := range ids {
			params = strings.ReplaceAll(params, `"`+shown+`"`, `"`+id+`"`)
		}
		r := srv.Execute(ctx, "files", &facade.Request{Cmd: step.cmd, Params: []byte(params)})
		var made struct{ ManifestID, PreviewID string }
		if len(r.Data) > 0 {
			if err := json.Unmarshal(r.Data, &made); err != nil {
				return fmt.Errorf("running %s: %w", step.cmd, err)
			}
		}
		if made.ManifestID != "" {
			ids[made.ManifestID] = "ID"
		}
		if made.PreviewID != "" {
			ids[made.PreviewID] = "PREVIEW"
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n   > %s %s\n   < %s\n\n", step.why, step.cmd, step.params, hide(string(text), ids))
	}
	return nil
}

var times = regexp.MustCompile(`"(expires|modified)":"[^"]+"`)

// hide replaces what differs on each run: ids and times.
func hide(text string, ids map[string]string) string {
	for id, shown := range ids {
		text = strings.ReplaceAll(text, id, shown)
	}
	return times.ReplaceAllString(text, `"$1":"..."`)
}
