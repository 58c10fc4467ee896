//go:build realclients

package realclients

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// step is a call that is made of a server itself, and through the aggregator of
// another one that has come through the same steps.
type step struct {
	tool, args string // ROOT is the folder of files
	want       string // in the text, or in the JSON if there is none
	fails      bool
}

// What is different in each process.
var unlike = []struct {
	pattern *regexp.Regexp
	mask    string
}{
	{regexp.MustCompile(`created at [0-9:]+([ \x{202f}][AP]M)?`), "created at TIME"},
	{regexp.MustCompile(`(created|modified|accessed): [^\n"\\]+`), "$1: TIME"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|session undefined`), "SESSION"},
	{regexp.MustCompile(`for session SESSION`), "for SESSION"},
}

func masked(text, root string) string {
	if root != "" {
		text = strings.ReplaceAll(text, root, "ROOT")
	}
	for _, u := range unlike {
		text = u.pattern.ReplaceAllString(text, u.mask)
	}
	return text
}

// maskedContent masks every text in v, which is decoded JSON, and texts that
// are blobs.
func maskedContent(v any, root string) any {
	switch v := v.(type) {
	case string:
		return masked(v, root)
	case map[string]any:
		for key := range v {
			if blob, is := v[key].(string); is && key == "blob" {
				if text, err := base64.StdEncoding.DecodeString(blob); err == nil && utf8.Valid(text) {
					v[key] = masked(string(text), root)
				}
				continue
			}
			v[key] = maskedContent(v[key], root)
		}
	case []any:
		for i := range v {
			v[i] = maskedContent(v[i], root)
		}
	}
	return v
}

var everythingSteps = []step{
	{"echo", `{"message":"grüße\n\t \"<&>"}`, "Echo: grüße", false},
	{"get-sum", `{"a":0.1,"b":9007199254740993}`, "The sum of", false},
	{"get-annotated-message", `{"messageType":"error","includeImage":true}`, "Error: ", false},
	{"get-annotated-message", `{"messageType":"success"}`, "successfully", false},
	{"get-resource-links", `{"count":10}`, "resource links", false},
	{"get-resource-reference", `{"resourceType":"Text","resourceId":1}`, "demo://resource/dynamic/text/1", false},
	{"get-resource-reference", `{"resourceType":"Blob","resourceId":2}`, "demo://resource/dynamic/blob/2", false},
	{"get-resource-reference", `{"resourceType":"Text","resourceId":-1}`, "Invalid resourceId", true},
	{"get-structured-content", `{"location":"Chicago"}`, "temperature", false},
	{"get-tiny-image", `{}`, "MCP logo", false},
	{"gzip-file-as-resource", `{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}`, "", false},
	{"gzip-file-as-resource", `{"name":"b.gz","data":"data:text/plain,hello","outputType":"resourceLink"}`, "", false},
	{"gzip-file-as-resource", `{"name":"c.gz","data":"file:///etc/hostname"}`, "protocol", true},
	{"toggle-simulated-logging", `{}`, "Started simulated", false},
	{"toggle-simulated-logging", `{}`, "Stopped simulated", false},
	{"toggle-subscriber-updates", `{}`, "Started simulated", false},
	{"toggle-subscriber-updates", `{}`, "Stopped simulated", false},
	{"trigger-long-running-operation", `{"duration":0.1,"steps":2}`, "Steps: 2", false},
	{"simulate-research-query", `{"topic":"tea"}`, "task", true}, // it runs as a task only
}

var filesSteps = []step{
	{"list_allowed_directories", `{}`, "ROOT", false},
	{"create_directory", `{"path":"ROOT/a/b"}`, "Successfully", false},
	{"write_file", `{"path":"ROOT/a/notes.txt","content":"one\ntwo\nthree\n"}`, "Successfully", false},
	{"write_file", `{"path":"ROOT/../outside.txt","content":"no"}`, "Access denied", true},
	{"read_file", `{"path":"ROOT/a/notes.txt"}`, "one\ntwo", false},
	{"read_text_file", `{"path":"ROOT/a/notes.txt","tail":2}`, "three", false},
	{"read_text_file", `{"path":"/etc/hostname"}`, "Access denied", true},
	{"read_text_file", `{"path":"ROOT/missing.txt"}`, "ENOENT", true},
	{"read_text_file", `{"path":"ROOT/a/notes.txt","head":1,"tail":1}`, "Cannot specify both", true},
	{"read_media_file", `{"path":"ROOT/dot.png"}`, "image/png", false},
	{"read_multiple_files", `{"paths":["ROOT/a/notes.txt","ROOT/missing.txt"]}`, "three", false},
	{"edit_file", `{"path":"ROOT/a/notes.txt","edits":[{"oldText":"two","newText":"2"}],"dryRun":true}`, "+2", false},
	{"edit_file", `{"path":"ROOT/a/notes.txt","edits":[{"oldText":"two","newText":"2"}]}`, "+2", false},
	{"edit_file", `{"path":"ROOT/a/notes.txt","edits":[{"oldText":"two","newText":"2"}]}`, "Could not find", true},
	{"move_file", `{"source":"ROOT/a/notes.txt","destination":"ROOT/a/b/moved.txt"}`, "Successfully", false},
	{"list_directory", `{"path":"ROOT"}`, "[DIR] a", false},
	{"list_directory_with_sizes", `{"path":"ROOT/a/b","sortBy":"size"}`, "moved.txt", false},
	{"directory_tree", `{"path":"ROOT"}`, "moved.txt", false},
	{"search_files", `{"path":"ROOT","pattern":"**/*.txt"}`, "ROOT/a/b/moved.txt", false},
	{"get_file_info", `{"path":"ROOT/a/b/moved.txt"}`, "isFile: true", false},
}

var memorySteps = []step{
	{"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["likes tea"]},` +
		`{"name":"Tea","entityType":"drink","observations":[]}]}`, "likes tea", false},
	{"create_relations", `{"relations":[{"from":"Ada","to":"Tea","relationType":"drinks"}]}`, "drinks", false},
	{"add_observations", `{"observations":[{"entityName":"Ada","contents":["reads","likes tea"]}]}`, "reads", false},
	{"add_observations", `{"observations":[{"entityName":"Nobody","contents":["reads"]}]}`, "Entity with name Nobody not found", true},
	{"search_nodes", `{"query":"TEA"}`, "Ada", false},
	{"open_nodes", `{"names":["Tea"]}`, "drink", false},
	{"read_graph", `{}`, "reads", false},
	{"delete_observations", `{"deletions":[{"entityName":"Ada","observations":["reads"]}]}`, "success", false},
	{"delete_relations", `{"relations":[{"from":"Ada","to":"Tea","relationType":"drinks"}]}`, "success", false},
	{"delete_entities", `{"entityNames":["Ada"]}`, "success", false},
	{"read_graph", `{}`, "Tea", false},
}

// Every call has the same result through the aggregator: content, structured
// content to the byte, and whether it is an error.
func TestCallsAreTheSame(t *testing.T) {
	for _, way := range ways {
		t.Run("everything over "+way.name, func(t *testing.T) {
			m := mount(t, upstream.Server{Label: "everything", Endpoint: way.reach(t)})
			compare(t, everything(), everything(), m, everythingSteps, "get-env", "trigger-elicitation-request")
		})
	}
	t.Run("files", func(t *testing.T) {
		direct, behind := files(t), files(t)
		for _, s := range []server{direct, behind} {
			if err := os.WriteFile(filepath.Join(s.root, "dot.png"), dot(t), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, direct, behind, mount(t, upstream.Server{Label: "files", Endpoint: behind.endpoint()}), filesSteps)
	})
	t.Run("memory", func(t *testing.T) {
		direct, behind := memory(t), memory(t)
		compare(t, direct, behind, mount(t, upstream.Server{Label: "memory", Endpoint: behind.endpoint()}), memorySteps)
	})
}

// dot is an image of one pixel.
func dot(t *testing.T) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compare makes the steps of direct, and of behind through m. The tools that
// have no step are elsewhere.
func compare(t *testing.T, direct, behind server, m *mounted, steps []step, elsewhere ...string) {
	rooted := func(args, root string) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(args, "ROOT", root))
	}
	one, other := direct.direct(t), m.connect(t, "")
	for _, tool := range one.list(t) {
		if !slices.Contains(elsewhere, tool.Name) && !slices.ContainsFunc(steps, func(s step) bool { return s.tool == tool.Name }) {
			t.Errorf("no step calls %s", tool.Name)
		}
	}
	for _, s := range steps {
		want := one.call(t, &mcp.CallToolParams{Name: s.tool, Arguments: rooted(s.args, direct.root)})
		got := other.function(t, behind.label, functionOf(s.tool), string(rooted(s.args, behind.root)))
		wantContent := maskedContent(blocks(want), direct.root)
		gotContent := maskedContent(blocks(got), behind.root)
		if want.IsError != s.fails || !strings.Contains(masked(string(one.tap.result())+want.text(), direct.root), s.want) {
			t.Errorf("%s %s of the server: %s, want %q in it, and an error: %t", s.tool, s.args, one.tap.result(), s.want, s.fails)
		}
		if got.IsError != want.IsError || !reflect.DeepEqual(gotContent, wantContent) {
			t.Errorf("%s %s: error %t with\n%v\nof the server itself %t with\n%v", s.tool, s.args, got.IsError, gotContent, want.IsError, wantContent)
		}
		if g, w := masked(string(got.Structured), behind.root), masked(string(want.Structured), direct.root); g != w {
			t.Errorf("%s %s: the structured content is\n%s\nof the server itself\n%s", s.tool, s.args, g, w)
		}
	}
}

func blocks(r *result) any {
	list := make([]any, len(r.Content))
	for i, block := range r.Content {
		list[i] = block
	}
	return list
}
