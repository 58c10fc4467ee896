package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestCommands: the verbs on servers that are commands, a CaSH server and an ordinary one.
func TestCommands(t *testing.T) {
	for _, face := range []string{"cash", "plain"} {
		get, note, cancel := "orders.get", "orders.note", "orders.cancel"
		if face == "plain" {
			get, note, cancel = "orders_get", "orders_note", "orders_cancel"
		}
		for _, test := range []struct {
			args     []string
			stdin    string
			code     int
			out, err string // parts
		}{
			{args: []string{"call", get, `{"id":"A-7"}`}, out: `{"id":"A-7"}`},
			{args: []string{"call", get, "-"}, stdin: `{"id":"A-8"}`, out: `{"id":"A-8"}`},
			{args: []string{"call", "-json", get, `{"id":"A-7"}`}, out: `"content": [`},
			{args: []string{"call", note, `{"id":"A-7"}`}, out: "a red note"},
			{args: []string{"call", cancel, `{"id":"A-7"}`}, code: 1, err: "the order red is shipped"},
			{args: []string{"call", "nothing"}, code: 1, err: "nothing"},
			{args: []string{"call", get, `{"id":`}, code: 2, err: "the arguments are not JSON"},
			{args: []string{"call", get, `[1]`}, code: 2, err: "must be a JSON object"},
			{args: []string{"help", get}, out: "Get an order by its id."},
			{args: []string{"help", "-search", "cancel"}, out: "cancel"},
			{args: []string{"help"}, out: "# Available"},
			{args: []string{"browse"}, out: get + "     reads        Get an order by its id.\n"},
			{args: []string{"browse", "cancel", "order"}, out: cancel + "  destructive  Cancel an order.\n"},
			{args: []string{"browse", "-json", "cancel"}, out: `"destructive": true`},
			{args: []string{"browse", "-n", "1"}, out: "1 of 3 functions"},
			{args: []string{"skill"}, out: map[string]string{"cash": "orders", "plain": "kill"}[face]},
		} {
			args := slices.Concat(test.args, self(t, face))
			got := printed(t, false, test.stdin, nil, args...)
			if got.code != test.code || !strings.Contains(got.out, test.out) || !strings.Contains(got.err, test.err) {
				t.Errorf("%s: %q: status %d, want %d\n%s\n%s", face, test.args, got.code, test.code, got.out, got.err)
			}
			if strings.ContainsAny(got.out+got.err, "\x1b\u202e") {
				t.Errorf("%s: %q: hostile characters in %q", face, test.args, got.out+got.err)
			}
		}
	}
	if got := printed(t, false, "", nil, slices.Concat([]string{"skill", "orders.refund", `{"id":"A-7"}`}, self(t, "cash"))...); !strings.Contains(got.out, "for A-7") {
		t.Errorf("%+v", got)
	}
}

// TestColours: only a terminal that wants colours gets them.
func TestColours(t *testing.T) {
	args := slices.Concat([]string{"browse"}, self(t, "plain"))
	if got := printed(t, true, "", nil, args...); !strings.Contains(got.out, "\x1b[1morders_get\x1b[0m") {
		t.Errorf("%q", got.out)
	}
	if got := printed(t, true, "", map[string]string{"NO_COLOR": "1"}, args...); strings.Contains(got.out, "\x1b") {
		t.Errorf("%q", got.out)
	}
}

// TestHeaders: a header reaches the server, and no message shows it.
func TestHeaders(t *testing.T) {
	var seen []string
	inner := newFace("cash").Handler()
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cr3t" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		seen = append(seen, r.Method)
		inner.ServeHTTP(w, r)
	}))
	vars := map[string]string{"TOKEN": "s3cr3t"}
	get := []string{url, "orders.get", `{"id":"A-7"}`}
	got := printed(t, false, "", vars, append([]string{"call", "-header", "Authorization: Bearer ${env:TOKEN}"}, get...)...)
	if got.code != 0 || got.out != "{\"id\":\"A-7\"}\n" || len(seen) == 0 {
		t.Errorf("%+v", got)
	}
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"refused":  {append([]string{"call", "-header", "Authorization: Bearer s3cr3t2"}, get...), 1, "check the address, and -header"},
		"none":     {append([]string{"call"}, get...), 1, "check the address, and -header"},
		"unset":    {append([]string{"call", "-header", "Authorization: ${env:NONE}"}, get...), 2, "${env:NONE} is not set"},
		"no colon": {append([]string{"call", "-header", "s3cr3t"}, get...), 2, "want NAME:VALUE"},
		"login":    {[]string{"help", "http://me:s3cr3t@localhost/mcp"}, 2, "not into the URL"},
		"command":  {[]string{"help", "-header", "A:s3cr3t", "program"}, 2, "-header is for a URL"},
	} {
		if got := printed(t, false, "", vars, test.args...); got.code != test.code || !strings.Contains(got.err, test.want) || strings.Contains(got.out+got.err, "s3cr3t") {
			t.Errorf("%s: %+v, want %q", name, got, test.want)
		}
	}
}

// TestNoServer: what does not start says why, with the next step.
func TestNoServer(t *testing.T) {
	slow := web(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not seen
		<-r.Context().Done()
	}))
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"missing":      {[]string{"help", "./no-such-program"}, 1, "run it by itself"},
		"ends":         {slices.Concat([]string{"help"}, self(t, "silent")), 1, "it wrote:\n  cannot open the database [redacted: github-token]"},
		"refused":      {[]string{"help", "http://127.0.0.1:1/mcp"}, 1, "check the address"},
		"slow":         {[]string{"tokens", "-timeout", "50ms", slow}, 1, "no answer within 50ms; check the address"},
		"not cash":     {slices.Concat([]string{"check", "-as", "cash"}, self(t, "silent")), 1, "it wrote:\n  cannot open the database"},
		"nothing":      {[]string{"check"}, 2, "name a server"},
		"no function":  {[]string{"call", "http://127.0.0.1:1/mcp"}, 2, "want 1 to 2"},
		"no separator": {[]string{"call", "orders.get", "./program"}, 2, "its command last, after --"},
		"words":        {[]string{"check", "http://127.0.0.1:1/mcp", "-json"}, 2, "want 0 to 0"},
		"timeout":      {[]string{"help", "-timeout", "0s", "./program"}, 2, "-timeout must be positive"},
		"no file":      {[]string{"browse", "nowhere.yaml"}, 1, "nowhere.yaml"},
	} {
		if got := printed(t, false, "", nil, test.args...); got.code != test.code || !strings.Contains(got.err, test.want) || got.out != "" {
			t.Errorf("%s: %+v, want %q", name, got, test.want)
		}
	}
}

// TestQuery: the query of a URL reaches the server, and no message shows it.
func TestQuery(t *testing.T) {
	inner := newFace("plain").Handler()
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "key=s3cr3t" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	url = "HTTP" + strings.TrimPrefix(url, "http") // a scheme in any case is one
	for _, verb := range []string{"call", "help", "tokens", "browse", "check"} {
		args := []string{verb, url + "?key=s3cr3t#part"}
		if verb == "call" {
			args = append(args, "orders_get", `{"id":"A-7"}`)
		}
		if got := printed(t, false, "", nil, args...); got.code != 0 {
			t.Errorf("%s: %+v", verb, got)
		}
		args[1] = url + "?key=wr0ng"
		if got := printed(t, false, "", nil, args...); got.code != 1 || strings.Contains(got.out+got.err, "wr0ng") {
			t.Errorf("%s: %+v", verb, got)
		}
	}
}

// TestLongError: what a server words fills no terminal.
func TestLongError(t *testing.T) {
	url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"%s"}}`, m.ID, strings.Repeat("long ", 200_000))
	}))
	if got := printed(t, false, "", nil, "call", url, "get"); got.code != 1 || len(got.err) > maxError+100 || !strings.Contains(got.err, "long") {
		t.Errorf("status %d, %d bytes: %.200s", got.code, len(got.err), got.err)
	}
}

// TestOwnDashes: a command may have -- among its words, whether or not one stands before it.
func TestOwnDashes(t *testing.T) {
	program := self(t, "plain")[1]
	for _, args := range [][]string{
		{"tokens", program, "--", "x"}, {"tokens", "--", program, "--", "x"}, {"browse", "--", program, "--", "x"},
		{"browse", "order", "--", program, "--", "x"},
	} {
		if got := printed(t, false, "", nil, args...); got.code != 0 || !strings.Contains(got.out, "3 functions") && !strings.Contains(got.out, "orders_get") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestInterrupted: a signal is no failure of the server.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &errs, getenv: func(string) string { return "" }}
	needy := configuration(t, "upstreams: [{label: a, command: [no-such-program-at-all], required: true}]\n")
	if code := run(ctx, env, []string{"serve", "-config", needy}); code != 0 || strings.Contains(errs.String(), "cash serve:") {
		t.Errorf("serve: status %d, %s", code, &errs)
	}
	errs.Reset() // the log may say that the server was not connected
	if code := run(ctx, env, []string{"browse", "./program"}); code != 1 || errs.String() != "cash browse: interrupted\n" {
		t.Errorf("browse: status %d, %s", code, &errs)
	}
}

// TestPictures: contents that are no text are described.
func TestPictures(t *testing.T) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "pictures", Version: "1.0.0"}, nil)
	srv.AddTool(&mcp.Tool{Name: "draw", Description: "Draw.", InputSchema: map[string]any{"type": "object"}}, pictures)
	url := web(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	got := printed(t, false, "", nil, "call", url, "draw")
	if got.code != 0 || !strings.Contains(got.out, "[image, image/png, 3 bytes; -json prints it]") {
		t.Errorf("%+v", got)
	}
}

// TestLookingPinsNothing: a look at a file with first-use leaves the pins as they are, and shows only what they accept.
func TestLookingPinsNothing(t *testing.T) {
	pins := filepath.Join(t.TempDir(), "pins.json")
	doc := "pins: {file: '" + pins + "', mode: first-use}\nupstreams: [{label: a, endpoint: '%s'}]\n"
	first := configuration(t, fmt.Sprintf(doc, served(t)))
	for _, verb := range []string{"browse", "tokens", "lint"} {
		if r := cashCommand(t, verb, first); verb == "browse" && (r.code != 0 || !strings.Contains(r.out, "put")) {
			t.Errorf("%s: %+v", verb, r)
		}
		if _, err := os.Stat(pins); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s has pinned: %v", verb, err)
		}
	}
	r := serveHTTP(t, first)
	r.line(t, "^serving at ")
	r.stop(t)
	before, err := os.ReadFile(pins)
	if err != nil {
		t.Fatal(err)
	}
	other := configuration(t, fmt.Sprintf(doc, web(t, newFace("plain").Handler())))
	if got := cashCommand(t, "browse", other); strings.Contains(got.out, "order") {
		t.Errorf("definitions in quarantine are shown: %+v", got)
	}
	if after, err := os.ReadFile(pins); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the pins have changed: %v\n%s", err, after)
	}
}
