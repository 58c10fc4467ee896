package catalog_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// vectors calls test with each line of a file.
func vectors[V any](t *testing.T, file string, test func(V)) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var v V
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		test(v)
	}
	if n == 0 {
		t.Fatal("no vectors")
	}
}

// TestW5ToolVectors holds that what is in the grammar has its id, and that all
// else is there too, under an id that is valid and with its own name.
func TestW5ToolVectors(t *testing.T) {
	type vector struct {
		UpstreamName string          `json:"upstream_name"`
		InputSchema  json.RawMessage `json:"input_schema"`
		Version      string          `json:"version"`
		ToolID       string          `json:"tool_id"`
		Error        bool            `json:"error"`
	}
	var odd int
	vectors(t, "tool_id.jsonl", func(v vector) {
		doc := fmt.Sprintf(`[{"name":%s,"inputSchema":%s,"_meta":{"version":%s},"result":"yes"}]`, quote(v.UpstreamName), orNull(v.InputSchema), quote(v.Version))
		c, report := load(t, nil, doc)
		if v.UpstreamName == "" {
			if report.Tools != 0 || report.Counts[catalog.Refused] != 1 {
				t.Errorf("a tool without a name: %s", report)
			}
			return
		}
		key := ids(c.Tools())[v.UpstreamName]
		if !v.Error && key != v.ToolID || v.Error && report.Counts[catalog.Mapped] != 1 {
			t.Errorf("%q has the id %s, want %q: %s", v.UpstreamName, key, v.ToolID, report)
		}
		if _, err := toolid.Parse(key); err != nil {
			t.Error(err)
		}
		if _, err := call(t, c.Tools(), key, `{}`); errors.Is(err, registry.UnknownFunction) {
			t.Error(err)
		}
		_, err := catalog.New(&catalog.Options{Strict: true}).Load([]byte(doc))
		if v.Error && err == nil {
			t.Errorf("%q is in order for strict", v.UpstreamName)
		}
		if v.Error {
			odd++
		}
	})
	if odd == 0 {
		t.Error("no vector is outside of the grammar")
	}
}

func orNull(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return string(raw)
}

func TestW40PrimitiveVectors(t *testing.T) {
	type vector struct {
		Kind, Namespace, Name, URI, ID string
		ArgumentNames                  []string `json:"argument_names"`
		Error                          bool
	}
	vectors(t, "primitive.jsonl", func(v vector) {
		if v.Kind != "prompt" {
			// A resource's namespace is the scheme of its URI: the hash is what
			// the vector tells.
			c, _ := load(t, nil, fmt.Sprintf(`{"resources":[{"uri":%s,"name":%s}]}`, quote(v.URI), quote(v.Name)))
			_, want, _ := strings.Cut(v.ID, "#")
			if _, got, _ := strings.Cut(id(t, c.Resources(), v.URI), "#"); !v.Error && got != want {
				t.Errorf("%+v: the hash is %s", v, got)
			}
			return
		}
		args := []map[string]string{}
		for _, a := range v.ArgumentNames {
			args = append(args, map[string]string{"name": a})
		}
		name := v.Namespace + "." + v.Name
		c, _ := load(t, nil, fmt.Sprintf(`{"prompts":[{"name":%s,"arguments":%s}]}`, quote(name), quote(args)))
		if got := id(t, c.Prompts(), name); got != v.ID {
			t.Errorf("%+v: got %s", v, got)
		}
	})
}

// A collision costs those that collide, whatever else is there, and in
// whatever order.
func TestW6Collisions(t *testing.T) {
	defs := []string{
		`{"name":"a.b","version":"1","result":"1"}`, `{"name":"a/b","version":"1","result":"2"}`, // one id
		`{"name":"twice","description":"x","result":"3"}`, `{"description":"x", "name":"twice","result":"3"}`,
		`{"name":"differs","version":"1"}`, `{"name":"differs","version":"2"}`,
		`{"name":"Odd Name"}`, `{"name":"Odd/Name"}`, `{"name":"good","result":"4"}`, `{"name":"nested","inputSchema":{"a":1,"a":2}}`,
	}
	for range 20 {
		rand.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
		doc := "[" + strings.Join(defs, ",") + "]"
		c, report := load(t, nil, doc)
		got := slices.Sorted(func(yield func(string) bool) {
			for f := range c.Tools().All() {
				if !yield(f.Tool()) {
					return
				}
			}
		})
		if want := []string{"Odd Name", "Odd/Name", "good", "twice"}; !slices.Equal(got, want) {
			t.Fatalf("there are %q, want %q: %s", got, want, report)
		}
		if report.Counts[catalog.Refused] != 5 || report.Counts[catalog.Mapped] != 2 || report.Counts[catalog.Duplicate] != 1 {
			t.Errorf("got %s", report)
		}
		if got := said(t, c.Tools(), id(t, c.Tools(), "twice"), `{}`); got != "3" {
			t.Errorf("got %q", got)
		}
	}
}

// Resources and prompts whose names are made to fit have ids of their own, which
// the order of the document does not change.
func TestW40Collisions(t *testing.T) {
	c, report := load(t, nil, `{
		"resources":[{"uri":"a:1","name":"x"},{"uri":"a:1","name":"x"},{"uri":"a:1","name":"y"},{"uri":"a:2","name":"x"}],
		"prompts":[{"name":"p q"},{"name":"p_q"},{"name":"p?q"},{"name":"d","description":"1"},{"name":"d","description":"2"}]}`)
	if report.Resources != 2 || report.Prompts != 3 || report.Counts[catalog.Duplicate] != 2 || report.Counts[catalog.Refused] != 2 {
		t.Errorf("got %s", report)
	}
	var got []string
	for _, id := range ids(c.Prompts()) {
		name, _, _ := strings.Cut(id, "#")
		got = append(got, name)
		if _, err := call(t, c.Prompts(), id, `{}`); !errors.Is(err, registry.Failed) {
			t.Errorf("%s: %v", id, err)
		}
	}
	slices.Sort(got)
	if want := []string{"prompt::mcp:p_q", "prompt::mcp:p_q", "prompt::mcp:p_q"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	other, _ := load(t, nil, `{"prompts":[{"name":"p!q"},{"name":"p?q"},{"name":"p_q"},{"name":"p q"}]}`)
	for name, id := range ids(c.Prompts()) {
		if got := ids(other.Prompts())[name]; got != id {
			t.Errorf("%q is %s and then %s", name, id, got)
		}
	}
	exact, err := toolid.FromPrompt("mcp", "p_q", nil)
	if got := id(t, c.Prompts(), "p_q"); err != nil || got != exact.String() {
		t.Errorf("what is in the grammar has the id %s, want %s", got, exact)
	}
}

// Hashes are short, so that a server can make two URIs of one: each has an id
// all the same, the first one its own (section 9.3).
func TestW40ForgedHashes(t *testing.T) {
	seen := make(map[string]string)
	for i := 0; ; i++ {
		uri := fmt.Sprint("a:", i)
		p, err := toolid.FromResource("a", "x", uri)
		if err != nil {
			t.Fatal(err)
		}
		other, forged := seen[p.Hash]
		if !forged {
			seen[p.Hash] = uri
			continue
		}
		c, report := load(t, nil, fmt.Sprintf(`{"resources":[{"uri":%q,"name":"x","text":"1"},{"uri":%q,"name":"x","text":"2"}]}`, other, uri))
		if report.Resources != 2 || report.Counts[catalog.Mapped] != 1 || id(t, c.Resources(), other) != p.String() {
			t.Errorf("got %s, %v", report, ids(c.Resources()))
		}
		if id := id(t, c.Resources(), uri); !strings.HasPrefix(id, "resource::a:x_2#") {
			t.Errorf("the second one is %s", id)
		}
		return
	}
}

// Two names that fit the same label both have one, and keep theirs as long as
// they are there: no path is passed on to another tool while its own remains.
func TestW37LabelsStay(t *testing.T) {
	paths := func(c *catalog.Catalog) string {
		var list []string
		for f := range c.Tools().All() {
			list = append(list, f.Tool()+"="+f.Path())
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	c, _ := load(t, nil, `[{"name":"x.a.b"},{"name":"x.a-b"},{"name":"a-b.f"},{"name":"ab.f"}]`)
	if got, want := paths(c), "a-b.f=a_b_d44362.f ab.f=ab.f x.a-b=x.a_b x.a.b=x.a.b"; got != want {
		t.Errorf("got %s", got)
	}
	if _, err := c.Load([]byte(`[{"name":"x.a_b"},{"name":"x.a.b"},{"name":"x.ab"},{"name":"a-b.f"}]`)); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(c), "a-b.f=a_b_d44362.f x.a.b=x.a.b x.a_b=x.a_b x.ab=x.ab_8666ef"; got != want {
		t.Errorf("got %s", got)
	}
}

// Labels are made of the names in the document, not of what their ids have of them.
func TestY3Labels(t *testing.T) {
	c, _ := load(t, nil, `{
		"tools":[{"name":"repo.issues.create"},{"name":"repo.get-user"},{"name":"gh.créer"},{"name":"gh/Ｇｅｔ"},{"name":"gh.9"},{"name":"9lives"},
			{"name":"gh.日本"},{"name":"gh.日本語"},{"name":"gh.a--b"},{"name":"gh.a_b"},{"name":"été.x"}],
		"resources":[{"uri":"file:///r","name":"日本"},{"uri":"file:///s","name":"a.été"}],
		"prompts":[{"name":"日本"},{"name":"gh.résumé"}]}`)
	for key, want := range map[string]string{
		"repo.issues.create": "repo.issues.create", "repo.get-user": "repo.get_user",
		"gh.créer": "gh.creer", "gh/Ｇｅｔ": "gh.Get", "gh.9": "gh.9", "9lives": "mcp.9lives", "gh.日本": "gh.tool", "gh.日本語": "gh.tool_3e4825",
		"gh.a--b": "gh.a_b_ea374a", "gh.a_b": "gh.a_b", "été.x": "n_t_.x", // a namespace is that of ids
		"file:///r": "file.resource", "file:///s": "file.a_ete", "日本": "mcp.prompt", "gh.résumé": "gh.resume",
	} {
		found := false
		for _, reg := range []*registry.Registry{c.Tools(), c.Resources(), c.Prompts()} {
			for f := range reg.All() {
				found = found || f.Tool() == key && f.Path() == want
			}
		}
		if !found {
			t.Errorf("%s is not at %s", key, want)
		}
	}
}
