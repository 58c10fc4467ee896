package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestLargeBodies holds that many bodies that are far too large, all at once, cost
// next to nothing, whatever is in them.
func TestLargeBodies(t *testing.T) {
	most := 200 << 20
	if raced() {
		most *= 4 // it shadows all memory
	}
	wide := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"function":"x","kwargs":{"a":[` +
		strings.Repeat(`{},`, 5_000_000) + `{}]}}}}`)
	for _, version := range protocolVersions {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s chunked=%v", version, chunked), func(t *testing.T) {
				cmd, url := listen(t, "-http", "127.0.0.1:0")
				var all sync.WaitGroup
				for range 24 {
					all.Go(func() {
						var body io.Reader = bytes.NewReader(wide)
						if chunked {
							body = io.MultiReader(body) // of a length that is not known
						}
						req, err := http.NewRequest(http.MethodPost, url, body)
						if err != nil {
							t.Error(err)
							return
						}
						req.Header.Set("Content-Type", "application/json")
						req.Header.Set("Accept", "application/json, text/event-stream")
						req.Header.Set("Mcp-Protocol-Version", version)
						res, err := http.DefaultClient.Do(req)
						if err != nil { // the server has closed the connection meanwhile
							return
						}
						defer res.Body.Close()
						if answer, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusRequestEntityTooLarge || !bytes.Contains(answer, []byte(`"id":1`)) {
							t.Errorf("%s %s", res.Status, answer)
						}
					})
				}
				all.Wait()
				if peak := peakMemory(t, cmd.Process.Pid); peak > most {
					t.Errorf("%d MB at the most", peak>>20)
				} else {
					t.Logf("%d MB at the most", peak>>20)
				}
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// raced reports whether this is built with the race detector.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// peakMemory returns the most bytes that a process has had in memory.
func peakMemory(t *testing.T, pid int) (peak int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &peak); err != nil {
		t.Fatal(err)
	}
	return peak << 10
}

// TestSlowBodies holds that a process ends in time, whatever has not sent its
// request.
func TestSlowBodies(t *testing.T) {
	cmd, url := listen(t, "-http", "127.0.0.1:0")
	head, body := io.Pipe()
	defer body.Close()
	for range 100 {
		req, err := http.NewRequest(http.MethodPost, url, io.MultiReader(strings.NewReader("{"), head))
		if err != nil {
			t.Fatal(err)
		}
		sent := make(chan struct{})
		req.Body = &told{req.Body, sent, sync.Once{}}
		go func() {
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		<-sent
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v, want exit code 0", err)
	}
}

// told closes a channel when it is first read.
type told struct {
	io.ReadCloser
	read chan struct{}
	once sync.Once
}

func (r *told) Read(p []byte) (int, error) {
	r.once.Do(func() { close(r.read) })
	return r.ReadCloser.Read(p)
}
