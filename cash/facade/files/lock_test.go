package files_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
	"github.com/cash-mcp/go-sdk/registry"
)

// Whoever finds the folder locked waits for some seconds, or as long as the caller does, and says so.
func TestF15WaitsAreBounded(t *testing.T) {
	dir := durabletest.Scratch(t)
	for _, name := range []string{".cash-files/lock", ".cash-files/turn"} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t, dir: dir}
			w.write("a", "A")
			f := w.serve(nil, nil)
			defer f.Close()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			lock, err := rootfs.Lock(root, name)
			if err != nil {
				t.Fatal(err)
			}
			for function, args := range map[string]object{"get": {"path": "a"}, "put": {"path": "a", "content": "B"}} {
				begun := time.Now()
				w.refuse(registry.Unavailable, function, args, "locked", "later")
				if took := time.Since(begun); took < 9*time.Second || took > 11*time.Second {
					t.Errorf("%s waits %s", function, took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := call(ctx, w.pipe, function, args); err == nil || time.Since(begun) > 13*time.Second {
					t.Errorf("%s: %v after %s", function, err, time.Since(begun))
				}
				cancel()
			}
			go func() {
				time.Sleep(time.Second)
				lock.Close()
			}()
			w.call("put", object{"path": "a", "content": "B"})
			w.want("a", "B")
		})
	}
}

// Readers that never stop do not keep a writer of another process waiting.
func TestF15ReadersLetWritersIn(t *testing.T) {
	w := newWorld(t, nil, "a", "0")
	other := &world{t: t, dir: w.dir}
	other.serve(nil, nil)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := call(t.Context(), w.pipe, "roundtrip_start", object{"paths": []string{"a"}}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 50 {
		other.call("put", object{"path": "a", "content": "1"})
	}
	close(done)
	readers.Wait()
}
