package skillext_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// A host imports skills over HTTP. It is written from the specification of the extension (SEP-2640) and of MCP, and
// shares no code with the server.
type host struct {
	t       *testing.T
	url     string
	modern  bool // 2026-07-28
	header  http.Header
	session string
	last    int
	caps    map[string]any
}

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
	invalidParams = -32602
)

// connect returns a host of the server, which has introduced itself.
func connect(t *testing.T, handler http.Handler, modern bool, header http.Header) *host {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	h := &host{t: t, url: server.URL, modern: modern, header: header}
	var hello struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	if modern {
		h.must("server/discover", map[string]any{}, &hello)
	} else {
		h.must("initialize", map[string]any{
			"protocolVersion": legacyVersion, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "host", "version": "1"},
		}, &hello)
		h.post(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}, "notifications/initialized", "")
	}
	h.caps = hello.Capabilities
	return h
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// call sends a request and returns its result.
func (h *host) call(method string, params map[string]any) (json.RawMessage, *rpcError) {
	h.t.Helper()
	if h.modern {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    modernVersion,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "host", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	h.last++
	name, _ := params["uri"].(string)
	answer := h.post(map[string]any{"jsonrpc": "2.0", "id": h.last, "method": method, "params": params}, method, name)
	var reply struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *rpcError       `json:"error"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil || reply.ID != h.last {
		h.t.Fatalf("%s: %v: %s", method, err, answer)
	}
	return reply.Result, reply.Error
}

func (h *host) must(method string, params map[string]any, into any) {
	h.t.Helper()
	res, e := h.call(method, params)
	if e != nil {
		h.t.Fatalf("%s: %d %s", method, e.Code, e.Message)
	}
	if err := json.Unmarshal(res, into); err != nil {
		h.t.Fatalf("%s: %v: %s", method, err, res)
	}
}

// refused checks that a request is refused as unknown, and returns the message.
func (h *host) refused(method, uri string) string {
	h.t.Helper()
	res, e := h.call(method, map[string]any{"uri": uri})
	if e == nil || e.Code != invalidParams {
		h.t.Errorf("%s of %q: want error %d, got %+v %s", method, uri, invalidParams, e, res)
		return ""
	}
	return e.Message
}

func (h *host) post(message map[string]any, method, name string) []byte {
	h.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for key, values := range h.header {
		req.Header[key] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if h.modern {
		req.Header.Set("Mcp-Protocol-Version", modernVersion)
		req.Header.Set("Mcp-Method", method)
		if method == "resources/read" {
			req.Header.Set("Mcp-Name", name)
		}
	} else if h.session != "" {
		req.Header.Set("Mcp-Protocol-Version", legacyVersion)
		req.Header.Set("Mcp-Session-Id", h.session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		h.session = id
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		data, err := io.ReadAll(res.Body)
		if err != nil {
			h.t.Fatal(err)
		}
		return data
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"id"`) {
			return []byte(data)
		}
	}
	h.t.Fatalf("%s: the stream has no answer: %v", method, lines.Err())
	return nil
}

// declared checks the capability of a server with directories.
func (h *host) declared() {
	h.t.Helper()
	extensions, _ := h.caps["extensions"].(map[string]any)
	settings, ok := extensions["io.modelcontextprotocol/skills"].(map[string]any)
	if !ok || settings["directoryRead"] != true || h.caps["resources"] == nil {
		h.t.Fatalf("the capabilities are %v", h.caps)
	}
}

type entry struct {
	URI         string          `json:"uri"`
	FrontMatter map[string]any  `json:"frontmatter"`
	Resources   json.RawMessage `json:"resources"`
}

type file struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

func (e *entry) dynamic() bool { return string(e.Resources) == `"dynamic"` }

func (e *entry) root() string { return strings.TrimSuffix(e.URI, "/SKILL.md") }

func (e *entry) files(t *testing.T) (list []file) {
	t.Helper()
	if err := json.Unmarshal(e.Resources, &list); err != nil {
		t.Fatalf("%s: resources: %v", e.URI, err)
	}
	return list
}

type result struct {
	ResultType string          `json:"resultType"`
	TTL        *int            `json:"ttlMs"`
	Scope      string          `json:"cacheScope"`
	Skills     *[]entry        `json:"skills"`
	Skill      entry           `json:"skill"`
	Next       string          `json:"nextCursor"`
	Contents   []content       `json:"contents"`
	Resources  *[]resourceInfo `json:"resources"`
}

type content struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType"`
	Text *string `json:"text"`
}

type resourceInfo struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description"`
	MIME        string `json:"mimeType"`
}

// shape checks the members that results of the extension have. Caching came with 2026-07-28.
func (h *host) shape(r *result) {
	h.t.Helper()
	if r.ResultType != "complete" {
		h.t.Errorf("resultType is %q", r.ResultType)
	}
	if caches := r.TTL != nil && *r.TTL >= 0 && r.Scope == "private"; caches != h.modern {
		h.t.Errorf("modern %v: ttlMs %v, cacheScope %q", h.modern, r.TTL, r.Scope)
	}
}

// list returns all entries, by URI.
func (h *host) list() map[string]*entry {
	h.t.Helper()
	entries := make(map[string]*entry)
	for cursor, pages := "", 0; ; pages++ {
		params := make(map[string]any)
		if cursor != "" {
			params["cursor"] = cursor
		}
		var r result
		h.must("skills/list", params, &r)
		h.shape(&r)
		if r.Skills == nil || pages > 1000 {
			h.t.Fatal("no list of skills, or no end of it")
		}
		for _, e := range *r.Skills {
			if entries[e.URI] != nil {
				h.t.Errorf("%s is listed twice", e.URI)
			}
			entries[e.URI] = &e
		}
		if cursor = r.Next; cursor == "" {
			return entries
		}
	}
}

// read returns the text of a file.
func (h *host) read(uri string) string {
	h.t.Helper()
	var r result
	h.must("resources/read", map[string]any{"uri": uri}, &r)
	if h.modern {
		h.shape(&r)
	}
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].Text == nil || r.Contents[0].MIME == "" {
		h.t.Fatalf("%s: the contents are %+v", uri, r.Contents)
	}
	return *r.Contents[0].Text
}

// children returns what is in a directory.
func (h *host) children(uri string) []resourceInfo {
	h.t.Helper()
	var r result
	h.must("resources/directory/read", map[string]any{"uri": uri}, &r)
	h.shape(&r)
	if r.Resources == nil || r.Next != "" {
		h.t.Fatalf("%s: %+v", uri, r)
	}
	return *r.Resources
}

// walk returns the URIs of all files in a directory and below.
func (h *host) walk(uri string) (files []string) {
	h.t.Helper()
	for _, c := range h.children(uri) {
		if c.Name == "" || !strings.HasPrefix(c.URI, uri+"/") {
			h.t.Errorf("%s has the child %+v", uri, c)
		}
		if c.MIME == "inode/directory" {
			files = append(files, h.walk(c.URI)...)
		} else {
			files = append(files, c.URI)
		}
	}
	return files
}

// load imports a skill as a host must, and returns the text of its SKILL.md.
func (h *host) load(e *entry) string {
	h.t.Helper()
	var got result
	h.must("skills/get", map[string]any{"uri": e.URI}, &got)
	h.shape(&got)
	if !reflect.DeepEqual(got.Skill.FrontMatter, e.FrontMatter) || !bytes.Equal(got.Skill.Resources, e.Resources) || got.Skill.URI != e.URI {
		h.t.Errorf("skills/get gives %+v, the list %+v", got.Skill, e)
	}
	parts := strings.Split(strings.TrimPrefix(e.root(), "skill://"), "/")
	name, _ := e.FrontMatter["name"].(string)
	if about, _ := e.FrontMatter["description"].(string); name != parts[len(parts)-1] || about == "" || !agentSkillName(name) {
		h.t.Errorf("%s has the front matter %v", e.URI, e.FrontMatter)
	}
	text := h.read(e.URI)
	h.compareFrontMatter(e, text)
	if e.dynamic() {
		return text
	}
	want := make(map[string]bool)
	total := 0
	for _, f := range e.files(h.t) {
		if !strings.HasPrefix(f.URI, e.root()+"/") || want[f.URI] {
			h.t.Errorf("%s lists %s", e.URI, f.URI)
		}
		want[f.URI] = true
		total += f.Size
		if data := h.read(f.URI); f.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(data))) || f.Size != len(data) {
			h.t.Errorf("%s differs from its entry", f.URI)
		}
	}
	if !want[e.URI] || len(want) > 512 || total > 16<<20 {
		h.t.Errorf("%s has %d files of %d bytes", e.URI, len(want), total)
	}
	for _, uri := range h.walk(e.root()) {
		if !want[uri] {
			h.t.Errorf("%s is in a directory and not in the entry", uri)
		}
		delete(want, uri)
	}
	if len(want) > 0 {
		h.t.Errorf("not in a directory: %v", want)
	}
	return text
}

// compareFrontMatter compares the front matter of a SKILL.md with that of its entry, field by field.
func (h *host) compareFrontMatter(e *entry, text string) {
	h.t.Helper()
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	head, _, closed := strings.Cut(rest, "\n---\n")
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(head), &fields); err != nil || !ok || !closed {
		h.t.Errorf("%s has no front matter: %v: %.200q", e.URI, err, text)
		return
	}
	asJSON, err := json.Marshal(fields)
	if err != nil {
		h.t.Fatal(err)
	}
	var same map[string]any
	if err := json.Unmarshal(asJSON, &same); err != nil || !reflect.DeepEqual(same, e.FrontMatter) {
		h.t.Errorf("%s: its front matter is %s, its entry says %v", e.URI, asJSON, e.FrontMatter)
	}
}

// agentSkillName reports whether a name keeps the rules of Agent Skills.
func agentSkillName(name string) bool {
	if name == "" || len(name) > 64 || name[0] == '-' || name[len(name)-1] == '-' || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
