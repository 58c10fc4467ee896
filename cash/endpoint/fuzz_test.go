package endpoint_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// FuzzK4Request holds every answer to the form of one, and its status to its type.
func FuzzK4Request(f *testing.F) {
	for _, request := range []string{
		`{"action":"list_tools"}`, "\ufeff" + `{"action":"describe_tool","tool":"f"}`, `{"action":"call_tool","tool":"f","arguments":{"a":1e999}}`,
		`{"action":"call_tool","tool":"x.y","arguments":[]}`, `{}`, `[]`, ``, "\x00", `{"action":"\ud800"}`, `{"action":"list_tools"} {}`,
	} {
		f.Add([]byte(request))
	}
	reg := registry.New(nil)
	fn, err := registry.RawFunc("f", "F.", nil, echoArguments)
	if err != nil {
		f.Fatal(err)
	}
	reg.Namespace("", "").Add(fn)
	e := endpoint.New(reg, nil)
	f.Fuzz(func(t *testing.T, request []byte) {
		document, exit := e.Answer(t.Context(), request)
		if err := strictjson.CheckDepth(document, 200); err != nil || bytes.ContainsRune(document, '\n') {
			t.Fatalf("%v: %s", err, document)
		}
		var got struct {
			Type  string
			Error *endpoint.Error
		}
		if err := json.Unmarshal(document, &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case exit == 0 && got.Type == "result" && got.Error == nil:
		case exit == 1 && got.Type == "error" && got.Error != nil && got.Error.Category == endpoint.Usage && len(got.Error.Message) < 2000:
		default:
			t.Fatalf("status %d: %s", exit, document)
		}
	})
}

// FuzzK17Answer reads what a process may write.
func FuzzK17Answer(f *testing.F) {
	for _, out := range []string{
		fine, "\ufeff" + fine, fine + fine, `{"type":"error","error":{"name":"a","category":"b","message":"c"}}`, `{"type":"error","error":7}`,
		`{"type":"result","tools":[{"name":"a"},{"name":"a"},7]}`, "", "noise\n{\n\"type\":\"error\"}\n",
		" \t{\"type\":\"error\"}\n{}\nexit status 1", `{"type":"result","tool":"t","result":{"stdout":"","exit_code":1}}`,
	} {
		f.Add(0, []byte(out), []byte{})
		f.Add(1, []byte{}, []byte(out))
	}
	f.Fuzz(func(t *testing.T, code int, stdout, stderr []byte) {
		result, tools, said, err := endpoint.ReadAnswer(code, stdout, stderr)
		if err != nil {
			if said != nil && (said.Name == "" || said.Category == "" || said.Message == "") {
				t.Fatalf("%+v", said)
			}
			if said == nil && (len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\x00\x1b\n")) {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, part := range [][]byte{result, tools} {
			if part != nil && strictjson.CheckDepth(part, 1000) != nil {
				t.Fatalf("%s", part)
			}
		}
		if tools != nil && strictjson.KindOf(tools) == strictjson.Array {
			list, _ := endpoint.ReadDescriptors(tools)
			for _, label := range endpoint.Labels(list) {
				if _, ok := registry.Canonical(label); !ok || len(label) > 80 {
					t.Fatalf("label %q", label)
				}
			}
		}
	})
}

// TestY3LabelsDoNotDependOnTheOrder draws names that collide.
func TestY3LabelsDoNotDependOnTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aA_.-é1 ")
	for range 300 {
		seen := make(map[string]bool)
		var tools []endpoint.Descriptor
		for range 20 {
			name := make([]rune, 1+random.IntN(3))
			for i := range name {
				name[i] = letters[random.IntN(len(letters))]
			}
			if !seen[string(name)] {
				seen[string(name)] = true
				tools = append(tools, endpoint.Descriptor{Name: string(name)})
			}
		}
		labels := endpoint.Labels(tools)
		taken := make(map[string]bool)
		for name, label := range labels {
			c, ok := registry.Canonical(label)
			if !ok || taken[c] {
				t.Fatalf("%q: label %q in %q", name, label, labels)
			}
			taken[c] = true
		}
		random.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		if again := endpoint.Labels(tools); !maps.Equal(labels, again) || len(labels) != len(slices.Collect(maps.Keys(again))) {
			t.Fatalf("%q\n%q", labels, again)
		}
	}
}
