package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestExplore serves the page of a server until it is interrupted.
func TestExplore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, pipe := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	env := &environment{stdin: strings.NewReader(""), stdout: pipe, stderr: &errs, getenv: func(string) string { return "" }}
	server := web(t, newFace("cash").Handler())
	go func() {
		code <- run(ctx, env, []string{"explore", "-calls", server})
		pipe.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	url := strings.TrimSpace(line)
	for target, want := range map[string]string{
		"?path=server.orders": "Cancel an order.", "function?path=server.orders.get": "Try it", "upstreams": "connected",
	} {
		resp, err := http.Get(url + target)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(page), want) {
			t.Errorf("GET %s: %d, %v, without %q:\n%s", target, resp.StatusCode, err, want, page)
		}
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("status %d: %s", c, &errs)
	}
}

func TestExploreAddress(t *testing.T) {
	if got := cashCommand(t, "explore", "-addr", ":0", "https://localhost/mcp"); got.code != 2 || !strings.Contains(got.err, "loopback") || got.out != "" {
		t.Errorf("%+v", got)
	}
}
