package files_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Edits of two processes, with three clients each.
const (
	editedFiles   = 10
	editedClients = 3
	wantedEdits   = 1000
)

// Two processes edit the same files at once, and are killed at random. Each edit adds its name to two files. What was
// said to be done is in both, what was not is in both or in none, and nothing is there twice.
func TestF15TwoProcesses(t *testing.T) {
	dir := durabletest.Scratch(t)
	root := filepath.Join(dir, "root")
	w := &world{t: t, dir: root}
	for i := range editedFiles {
		w.write(fmt.Sprint(i), "end\n")
	}
	var mu sync.Mutex
	done, kills := make(map[string]bool), 0
	t.Run("processes", func(t *testing.T) {
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for life := 0; ; life++ {
					mu.Lock()
					left := wantedEdits - len(done)
					mu.Unlock()
					if left <= 0 {
						return
					}
					out, finished := durabletest.Run(t, "kill", 50+rand.IntN(4000), dir, "edit", fmt.Sprint(name, life), fmt.Sprint(min(left, 30)))
					mu.Lock()
					if !finished {
						kills++
					}
					for _, edit := range strings.Fields(string(out)) {
						if strings.Contains(edit, ".") { // a whole line
							done[strings.TrimSuffix(edit, ".")] = true
						}
					}
					mu.Unlock()
					if t.Failed() {
						return
					}
				}
			})
		}
	})
	seen := make(map[string]int)
	w.serve(nil, nil)
	for i := range editedFiles {
		text := w.call("get", object{"path": fmt.Sprint(i)})["content"].(string)
		names, ended := strings.CutSuffix(text, "end\n")
		if !ended {
			t.Fatalf("file %d ends with %.100q", i, text[max(0, len(text)-100):])
		}
		for _, edit := range strings.Fields(names) {
			of := strings.Split(edit, ":")
			if len(of) != 3 || of[1] != fmt.Sprint(i) && of[2] != fmt.Sprint(i) {
				t.Errorf("file %d has %q", i, edit)
			}
			seen[edit]++
		}
	}
	for edit, n := range seen {
		if n != 2 {
			t.Errorf("%s is there %d times", edit, n)
		}
	}
	for edit := range done {
		if seen[edit] != 2 {
			t.Errorf("%s is lost", edit)
		}
	}
	if len(done) < wantedEdits || kills < 5 {
		t.Errorf("%d edits, %d kills", len(done), kills)
	}
	t.Logf("%d edits said to be done, %d there, %d kills", len(done), len(seen), kills)
	begun := time.Now()
	w.call("put", object{"path": "0", "content": ""})
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("a lock is left: it takes %s", took)
	}
}

// editingLife is the main function of a process of [TestF15TwoProcesses].
func editingLife(root *os.Root, fault durabletest.Fault, name string, edits int) error {
	var mu sync.Mutex
	f, err := files.OpenFaulty(root, nil, func(op, name string) error {
		mu.Lock()
		defer mu.Unlock()
		return fault(op, name)
	})
	if err != nil {
		return err
	}
	reg := registry.New(nil)
	reg.Namespace("files", "Files.").Add(f.Functions()...)
	srv := facade.NewServer(reg, nil)
	var group sync.WaitGroup
	failures := make([]error, editedClients)
	for i := range editedClients {
		group.Go(func() {
			failures[i] = editingClient(srv, fmt.Sprintf("%s-%d", name, i), edits/editedClients+1)
		})
	}
	group.Wait()
	return errors.Join(append(failures, f.Close())...)
}

func editingClient(srv *facade.Server, name string, edits int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	here, there := mcp.NewInMemoryTransports()
	go srv.Run(ctx, there)
	session, err := mcp.NewClient(&mcp.Implementation{Name: name}, nil).Connect(ctx, here, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	execute := func(cmd, detail string, params any) (object, error) {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "FilesExecute", Arguments: object{"cmd": cmd, "detail": detail, "params": params}})
		if err != nil {
			return nil, err
		}
		out := fromJSON(res.Content[0].(*mcp.TextContent).Text)
		if out["ok"] != true {
			return nil, fmt.Errorf("%s: %v", cmd, out["error"])
		}
		return out["data"].(object), nil
	}
	for n := range edits {
		a := rand.IntN(editedFiles)
		b := (a + 1 + rand.IntN(editedFiles-1)) % editedFiles
		paths := []string{fmt.Sprint(a), fmt.Sprint(b)}
		edit := fmt.Sprintf("%s-%d:%d:%d", name, n, a, b)
		changes := []object{oneEdit(paths[0], "end\n", edit+"\nend\n", false), oneEdit(paths[1], "end\n", edit+"\nend\n", false)}
		for try := 0; ; try++ {
			started, err := execute("roundtrip_start", "minimal", object{"paths": paths})
			if err != nil {
				return err
			}
			_, err = execute("roundtrip_commit", "minimal", object{"manifestId": started["manifestId"], "mode": "update_only", "changes": changes})
			if err == nil {
				break
			}
			if !strings.Contains(err.Error(), "conflicts") || try > 1000 {
				return err
			}
		}
		fmt.Print(edit + ".\n")
	}
	return nil
}
