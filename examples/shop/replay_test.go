package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Every request that the CaSH model (RFC) and the gateway surface print, adapted to the shop. The printed answer
// is the expectation. Each archive in testdata/replay is a conversation with one of the stands, over every wire.
func TestReplay(t *testing.T) {
	for _, name := range replays(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readReplay(t, name)
			for _, w := range replayWires {
				if r.web() && !w.web {
					continue
				}
				t.Run(w.name, func(t *testing.T) {
					b := bindings{}
					c := w.connect(t, r.stand)
					for i, s := range r.steps {
						if err := s.play(c, b); err != nil {
							t.Fatalf("%s\n\nrequest %d: %s\n%v", r.comment, i+1, s.request, err)
						}
					}
				})
			}
		})
	}
}

// Every line of testdata/replay/printed.txt has an archive, and every archive has a line.
func TestReplayIsComplete(t *testing.T) {
	f, err := os.Open("testdata/replay/printed.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	left := map[string]bool{}
	for _, name := range replays(t) {
		left[name] = true
	}
	printed := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, quote, _ := strings.Cut(line, " ")
		switch quote = strings.TrimSpace(quote); {
		case quote == "":
			t.Errorf("%s has no words of its specification", name)
		case printed[name]:
			t.Errorf("%s is listed twice", name)
		case !left[name]:
			t.Errorf("%s is not replayed: %s", name, quote)
		}
		printed[name] = true
		delete(left, name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s is not listed", name)
	}
}

// replays returns the names of all archives, sorted.
func replays(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/replay/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".txtar")
	}
	return files
}

// A replay is an archive in testdata/replay: a comment, the name of a stand, and steps.
type replay struct {
	comment, stand string
	steps          []step
}

// A step is a request with its response.
type step struct {
	request    string // see play
	response   string // a pattern
	isError    bool   // the archive says error in place of response
	structured string // a pattern for the structured content; empty is not compared
}

func (r *replay) web() bool {
	return slices.ContainsFunc(r.steps, func(s step) bool { return strings.HasPrefix(s.request, "GET ") })
}

// specifications are what comments of archives begin with, by the first word of the archive's name.
var specifications = map[string]string{"cash": "RFC ", "gateway": "Gateway surface, "}

// readReplay reads an archive in the format of golang.org/x/tools/txtar.
func readReplay(t *testing.T, name string) *replay {
	t.Helper()
	data, err := os.ReadFile("testdata/replay/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	r := new(replay)
	into := &r.comment
	for line := range strings.Lines(string(data)) {
		file, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- ")
		if ok {
			file, ok = strings.CutSuffix(file, " --")
		}
		switch last := len(r.steps) - 1; {
		case !ok:
			*into += line
		case file == "stand":
			into = &r.stand
		case file == "request":
			r.steps = append(r.steps, step{})
			into = &r.steps[last+1].request
		case file == "response" && last >= 0:
			into = &r.steps[last].response
		case file == "error" && last >= 0:
			into, r.steps[last].isError = &r.steps[last].response, true
		case file == "structured" && last >= 0:
			into = &r.steps[last].structured
		default:
			t.Fatalf("%s: unexpected file %q", name, file)
		}
	}
	r.comment, r.stand = strings.TrimSpace(r.comment), strings.TrimSpace(r.stand)
	prefix, _, _ := strings.Cut(name, "-")
	if spec := specifications[prefix]; spec == "" || !strings.HasPrefix(r.comment, spec) || stands[r.stand] == nil || len(r.steps) == 0 {
		t.Fatalf("%s: no comment with the name of the specification, unknown stand %q, or no request", name, r.stand)
	}
	for _, s := range r.steps {
		if strings.TrimSpace(s.response) == "" {
			t.Fatalf("%s: the request %s has no response", name, s.request)
		}
	}
	return r
}

// play sends the request and matches the response. The first word of a request is one of
//
//	tools/list               the response is {"tools": [...]}
//	resources/read URI       the text of the resource
//	GET PATH ACCEPT          HTTP beside MCP: the media type, an empty line, the body
//	a tool, with arguments   the text of the result
func (s *step) play(c *counter, b bindings) error {
	request, err := b.fill(s.request)
	if err != nil {
		return err
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(request), " ")
	var got string
	switch name {
	case "tools/list":
		data, err := json.Marshal(map[string]any{"tools": c.Tools()})
		if err != nil {
			return err
		}
		got = string(data)
	case "resources/read":
		res, err := c.Session.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: rest})
		if err != nil {
			return err
		}
		got = res.Contents[0].Text
	case "GET":
		if got, err = c.get(rest); err != nil {
			return err
		}
	default:
		if rest == "" {
			rest = "{}"
		}
		if !json.Valid([]byte(rest)) {
			return fmt.Errorf("the arguments are not JSON")
		}
		reply := c.Tool(name, json.RawMessage(rest))
		got = reply.Text
		if reply.IsError != s.isError {
			return fmt.Errorf("isError is %t, want %t: %s", reply.IsError, s.isError, shorten(got))
		}
		if s.structured != "" {
			data, err := json.Marshal(reply.Raw.StructuredContent)
			if err != nil {
				return err
			}
			if err := b.match(s.structured, string(data)); err != nil {
				return fmt.Errorf("structured content: %w", err)
			}
		}
	}
	return b.match(s.response, got)
}

// shorten cuts a long answer for a message.
func shorten(text string) string {
	if r := []rune(text); len(r) > 3000 {
		return string(r[:3000]) + " [...]"
	}
	return text
}

// A counter is a connection to a stand.
type counter struct {
	*cashtest.Client
	ctx  context.Context
	face cashtest.Face
}

// get returns what the face publishes beside MCP.
func (c *counter) get(what string) (string, error) {
	path, accept, _ := strings.Cut(what, " ")
	mux := http.NewServeMux()
	if srv, ok := c.face.(*cash.Server); ok {
		mux.Handle(manifest.WellKnownPath, srv.ManifestHandler())
	}
	web := httptest.NewServer(mux)
	defer web.Close()
	req, err := http.NewRequestWithContext(c.ctx, http.MethodGet, web.URL+path, nil)
	if err != nil {
		return "", err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %s: %s", res.Status, body)
	}
	return res.Header.Get("Content-Type") + "\n\n" + string(body), err
}

// clerk is the caller of every replay.
var clerk = &registry.Caller{ID: "clerk"}

// A replayWire connects to a new instance of a stand.
type replayWire struct {
	name    string
	web     bool
	connect func(t *testing.T, stand string) *counter
}

// replayWires are the links of package cashtest, and a child process.
var replayWires = func() []replayWire {
	var list []replayWire
	for _, l := range cashtest.Links() {
		list = append(list, replayWire{l.String(), l.HTTP, func(t *testing.T, name string) *counter {
			s := openStand(t, name)
			return &counter{l.Connect(t, s, clerk, nil), t.Context(), s}
		}})
	}
	return append(list, replayWire{"stdio", false, func(t *testing.T, name string) *counter {
		cmd := command(t)
		cmd.Env = append(cmd.Env, asStand+"="+name)
		return &counter{cashtest.ConnectCommand(t, cmd), t.Context(), nil}
	}})
}()
