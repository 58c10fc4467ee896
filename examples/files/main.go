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
	"bytes"
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

// walk edits two files in one call and prints the messages.
func walk(ctx context.Context, srv *facade.Server, out io.Writer) error {
	const edit = `{"manifestId":"ID","mode":"replace","changes":[{"path":"notes.md","content":"# Notes\n\nBuy bread and salt.\n"},{"path":"todo.md","content":"- bake\n"}]}`
	var started struct{ ManifestID string }
	for _, step := range []struct{ why, cmd, params string }{
		{"What is there?", "list", `{}`},
		{"Begin to edit.", "roundtrip_start", `{"paths":["notes.md","todo.md"]}`},
		{"What would that do?", "roundtrip_preview", edit},
		{"Somebody else writes one of the files.", "put", `{"path":"todo.md","content":"- sleep\n"}`},
		{"So that nothing is written.", "roundtrip_commit", edit},
		{"Leave the files that exist.", "roundtrip_commit", `{"manifestId":"ID","mode":"add_only","changes":[{"path":"todo.md","content":"- bake\n"},{"path":"new/plan.md","content":"Bread.\n"}]}`},
		{"What is there now?", "list", `{"recursive":true}`},
	} {
		params := []byte(step.params)
		if started.ManifestID != "" {
			params = replaceID(params, started.ManifestID)
		}
		r := srv.Execute(ctx, "files", &facade.Request{Cmd: step.cmd, Params: params})
		if step.cmd == "roundtrip_start" {
			if err := json.Unmarshal(r.Data, &started); err != nil {
				return fmt.Errorf("beginning to edit: %w", err)
			}
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n   > %s %s\n   < %s\n\n", step.why, step.cmd, step.params, hideID(text, started.ManifestID))
	}
	return nil
}

// replaceID replaces ID in params by the manifest's id.
func replaceID(params []byte, id string) []byte {
	return bytes.ReplaceAll(params, []byte(`"ID"`), []byte(`"`+id+`"`))
}

var times = regexp.MustCompile(`"(expires|modified)":"[^"]+"`)

// hideID replaces the id by ID, and hides the parts that differ on each run.
func hideID(text []byte, id string) []byte {
	if id != "" {
		text = bytes.ReplaceAll(text, []byte(`"`+id+`"`), []byte(`"ID"`))
	}
	return times.ReplaceAll(text, []byte(`"$1":"..."`))
}
