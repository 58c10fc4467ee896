package pin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

func TestW37HashVectors(t *testing.T) {
	for _, test := range []struct {
		d         pin.Definition
		canonical string
	}{
		{pin.Definition{}, `{"description":"","name":"","title":""}`},
		{pin.Definition{Name: "a", Title: "T", Description: "d"}, `{"description":"d","name":"a","title":"T"}`},
		{
			pin.Definition{
				Name: "pay", Title: "Pay", Description: "Pays a\n\"bill\".",
				InputSchema:  raw(`{ "type" : "object", "properties":{"to":{"type":"string"},"amount":{"maximum":1e2,"minimum":-0.50}}, "required":["to","amount"] }`),
				OutputSchema: raw(`{}`),
				Annotations:  raw(`{"readOnlyHint":false,"title":"\u0050ay"}`),
			},
			`{"annotations":{"readOnlyHint":false,"title":"Pay"},"description":"Pays a\n\"bill\".",` +
				`"inputSchema":{"properties":{"amount":{"maximum":100,"minimum":-0.5},"to":{"type":"string"}},"required":["to","amount"],"type":"object"},` +
				`"name":"pay","outputSchema":{},"title":"Pay"}`,
		},
		{pin.Definition{Name: "a.b", Description: "d", Function: true, Annotations: raw(`{}`)}, `{"annotations":{},"description":"d","function":true,"name":"a.b","title":""}`},
		{pin.Definition{Name: "\xff", InputSchema: raw("{]")}, `{"description":"","!inputSchema":"7b5d","!name":"ff","title":""}`},
	} {
		sum := sha256.Sum256([]byte(test.canonical))
		if got := test.d.Hash(); got != hex.EncodeToString(sum[:]) {
			t.Errorf("hash of %+v is not that of %s", test.d, test.canonical)
		}
	}
	const want = "48d970303d2b1b1878fc60884f55ea0e154e07ff25f0f699652d9e68514f5fda"
	if got := (&pin.Definition{Name: "a", Title: "T", Description: "d"}).Hash(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// TestW37HashSpelling holds lists of schemas that say the same, and no two of
// which from different lists do.
func TestW37HashSpelling(t *testing.T) {
	lists := [][]string{
		{``, `null`, ` null `},
		{`{}`, "{ \n}"},
		{`{"a":1,"b":[1,2]}`, `{"b":[1,2],"a":1}`, ` { "b" : [ 1 , 2 ] , "\u0061" : 1.0 } `},
		{`{"a":1,"b":[2,1]}`},
		{`{"a":"1","b":[1,2]}`},
		{`{"a":0}`, `{"a":-0}`, `{"a":0.00}`, `{"a":0e99999999999999999999}`, `{"a":-0E-7}`},
		{`{"a":1}`, `{"a":1.0}`, `{"a":10e-1}`, `{"a":0.1e1}`, `{"a":1E+0}`, `{"a":1000000000000e-12}`},
		{`{"a":-1}`, `{"a":-1.0}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740.993e3}`, `{"a":9007199254740993.000}`},
		{`{"a":9007199254740992}`, `{"a":9.007199254740992E15}`},
		{`{"a":1e20}`, `{"a":100000000000000000000}`},
		{`{"a":1e21}`, `{"a":1000000000000000000000}`, `{"a":0.001e24}`},
		{`{"a":1e400}`}, {`{"a":1e401}`}, {`{"a":-1e400}`}, {`{"a":1e-400}`},
		{`{"a":1e99999999999999999999}`}, {`{"a":1e99999999999999999998}`}, {`{"a":1e-99999999999999999999}`},
		{`{"a":1e999999999999999999}`}, {`{"a":1e999999999999999998}`, `{"a":10e999999999999999997}`},
		{`{"a":0.001}`, `{"a":1e-3}`, `{"a":0.00100}`},
		{`{"a":0.0000000001}`, `{"a":1e-10}`},
		{`{"a":12.5}`, `{"a":125e-1}`, `{"a":0.125e2}`},
		{`{"a":"1.0"}`}, {`{"a":"1e0"}`}, {`{"a":"\"1.0"}`}, {`{"a":"\\"}`},
		{`{"a":"é<>&/"}`, `{"a":"\u00e9\u003c\u003E\u0026\/"}`}, {`{"a":"e\u0301<>&/"}`},
		{`{"a":true}`}, {`{"a":false}`}, {`{"a":null}`}, {`{"a":[]}`}, {`{"a":{}}`}, {`{"A":{}}`}, {`{"a\u200b":{}}`},
		{`{"a":{"b":{}}}`}, {`{"a":[{"b":{}}]}`}, {`{"a":{},"b":{}}`},
		{`{"a":1,"a":1}`}, {`{"a":1,"a":2}`}, {`{"a":`}, {`{`}, {`"7b"`},
	}
	seen := make(map[string]int)
	for i, list := range lists {
		for _, s := range list {
			d := pin.Definition{Name: "x", InputSchema: raw(s)}
			if other, ok := seen[d.Hash()]; ok && other != i {
				t.Errorf("%s has the hash of one of list %d", s, other)
			}
			seen[d.Hash()] = i
		}
	}
	if len(seen) != len(lists) {
		t.Errorf("%d hashes for %d lists", len(seen), len(lists))
	}
}

// TestW37HashFields moves the same content from field to field.
func TestW37HashFields(t *testing.T) {
	seen := make(map[string]pin.Definition)
	for _, text := range []string{"", "a", "b", "{}", `","title":"`, `"`, "\u200b", "\xff", "\ufffd", "ff"} {
		for _, d := range []pin.Definition{
			{Name: text, Title: "-", Description: "-"}, {Name: "-", Title: text, Description: "-"}, {Name: "-", Title: "-", Description: text},
		} {
			if other, ok := seen[d.Hash()]; ok {
				t.Errorf("%+v has the hash of %+v", d, other)
			}
			seen[d.Hash()] = d
		}
	}
	for _, s := range []json.RawMessage{raw(`{}`), raw(`{"a":{}}`), raw(`-`), raw(`"2d"`)} {
		for _, d := range []pin.Definition{{InputSchema: s}, {OutputSchema: s}, {Annotations: s}, {InputSchema: s, Function: true}} {
			if other, ok := seen[d.Hash()]; ok {
				t.Errorf("%+v has the hash of %+v", d, other)
			}
			seen[d.Hash()] = d
		}
	}
}

// A tree is JSON that can be spelled in many ways.
type tree struct {
	key      string
	children []*tree
	kind     int // 0 a number, 1 a text, 2 an array, 3 an object
	number   int
}

func randomTree(r *rand.Rand, depth int) *tree {
	n := &tree{kind: r.IntN(4), number: 1 + r.IntN(5)}
	if depth == 0 {
		n.kind = r.IntN(2)
	}
	if n.kind >= 2 {
		for i := range r.IntN(4) {
			c := randomTree(r, depth-1)
			c.key = fmt.Sprintf("k%d", i)
			n.children = append(n.children, c)
		}
	}
	return n
}

// spell writes the tree with what does not count by chance.
func (n *tree) spell(r *rand.Rand) string {
	space := func() string { return []string{"", "", "", " ", "\n", "\t", "\r"}[r.IntN(7)] }
	children := slices.Clone(n.children)
	var parts []string
	switch n.kind {
	case 0:
		return space() + fmt.Sprintf([]string{"%d", "%d.0", "%d0e-1", "%dE+0"}[r.IntN(4)], n.number) + space()
	case 1:
		return space() + fmt.Sprintf([]string{`"t%d"`, `"\u0074%d"`}[r.IntN(2)], n.number) + space()
	case 2:
		for _, c := range children {
			parts = append(parts, c.spell(r))
		}
		return space() + "[" + strings.Join(parts, ",") + "]" + space()
	}
	r.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
	for _, c := range children {
		parts = append(parts, space()+`"`+c.key+`"`+space()+":"+c.spell(r))
	}
	return space() + "{" + strings.Join(parts, ",") + "}" + space()
}

// change makes one change that counts, somewhere.
func (n *tree) change(r *rand.Rand) {
	if len(n.children) > 0 && r.IntN(3) > 0 {
		n.children[r.IntN(len(n.children))].change(r)
		return
	}
	switch {
	case n.kind < 2 && r.IntN(2) == 0:
		n.kind = 1 - n.kind
	case n.kind < 2:
		n.number++
	case len(n.children) > 0 && r.IntN(2) == 0:
		n.children = n.children[:len(n.children)-1]
	default:
		n.children = append(n.children, &tree{key: "new"})
	}
}

func TestW37HashProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := &tree{kind: 3, children: []*tree{randomTree(r, 4)}}
		a := &pin.Definition{Name: "x", InputSchema: raw(n.spell(r))}
		b := &pin.Definition{Name: "x", InputSchema: raw(n.spell(r))}
		if a.Hash() != b.Hash() || a.Difference(b) != "" {
			t.Fatalf("not the same:\n%s\n%s\n%s", a.InputSchema, b.InputSchema, a.Difference(b))
		}
		n.change(r)
		b.InputSchema = raw(n.spell(r))
		if a.Hash() == b.Hash() || a.Difference(b) == "" {
			t.Fatalf("the same:\n%s\n%s", a.InputSchema, b.InputSchema)
		}
	}
}

func TestW37ParseDefinitions(t *testing.T) {
	for _, test := range []struct{ name, tools, want string }{
		{"none", `[]`, ""},
		{"all fields", ` [ {"name":"a","title":"A","description":"d","inputSchema":{"type": "object", "x":1.0},"outputSchema":{},"annotations":{"readOnlyHint":true},"_meta":{},"icons":[]} ] `,
			`a|A|d|{"type": "object", "x":1.0}|{}|{"readOnlyHint":true}`},
		{"null is none", `[{"name":"a","title":null,"description":null,"inputSchema":null,"outputSchema":null,"annotations":null}]`, `a|||||`},
		{"escapes", `[{"\u006eame":"\u0061\ud83d\ude00"}]`, `a😀|||||`},
		{"order and duplicates", `[{"name":"b"},{"name":"a"},{"name":"b"}]`, "b|||||\na|||||\nb|||||"},
		{"one bad tool", `[{"name":"a"},{"name":"b","description":7},{"name":"c"}]`,
			"a|||||\nc|||||\ndropped: tool 2, \"b\": description: want a string, got type number"},
		{"no objects", `[null,7,"a",[],{}]`, "dropped: tool 1: want an object, got type null\ndropped: tool 2: want an object, got type number\n" +
			"dropped: tool 3: want an object, got type string\ndropped: tool 4: want an object, got type array\ndropped: tool 5: no name"},
		{"names", `[{"name":""},{"name":null},{"name":1},{"title":"x"}]`, "dropped: tool 1: no name\ndropped: tool 2: no name\n" +
			"dropped: tool 3: name: want a string, got type number\ndropped: tool 4: no name"},
		{"schemas", `[{"inputSchema":true,"name":"a"},{"name":"b","outputSchema":[]},{"name":"c","annotations":"x"}]`,
			"dropped: tool 1, \"a\": inputSchema: want an object, got type boolean\ndropped: tool 2, \"b\": outputSchema: want an object, got type array\n" +
				"dropped: tool 3, \"c\": annotations: want an object, got type string"},
		{"duplicate keys", `[{"name":"a","name":"b"},{"name":"c"}]`, "c|||||\ndropped: tool 1: duplicate key \"name\" at byte 12"},
		{"lone surrogate", `[{"name":"\ud800"}]`, "dropped: tool 1: escape of a lone surrogate at byte 9"},
		{"not UTF-8", "[{\"name\":\"\xff\"},{\"name\":\"b\"}]", "b|||||\ndropped: tool 1: invalid UTF-8 at byte 9"},
		{"too deep", `[{"name":"a","inputSchema":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64) + `},{"name":"b"}]`,
			"b|||||\ndropped: tool 1: arrays and objects nested deeper than 64 at byte 341"},
		{"hostile name", `[{"name":"a\u001b[31m\n\u200b` + strings.Repeat("b", 100) + `","title":1}]`,
			`dropped: tool 1, "a ` + strings.Repeat("b", 61) + `…": title: want a string, got type number`},
		{"too large", `[{"name":"a","description":"` + strings.Repeat("x", 256<<10) + `"},{"name":"b"}]`,
			"b|||||\ndropped: tool 1, \"a\": 262173 bytes of definition, at most 262144 are read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, dropped, err := pin.ParseDefinitions(raw(test.tools))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, d := range list {
				lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%s|%s", d.Name, d.Title, d.Description, d.InputSchema, d.OutputSchema, d.Annotations))
			}
			for _, s := range dropped {
				lines = append(lines, "dropped: "+s)
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestW37ParseDefinitionsErrors(t *testing.T) {
	for _, tools := range []string{"", "null", "{}", `{"tools":[]}`, "[", "[{}", "[}]", "[]]", "7", strings.Repeat("[", 1<<20), "[" + strings.Repeat(`{"a":`, 1<<20)} {
		if list, dropped, err := pin.ParseDefinitions(raw(tools)); err == nil {
			t.Errorf("%.20s: got %d tools, %d dropped", tools, len(list), len(dropped))
		}
	}
}

func TestW37ParseDefinitionsMany(t *testing.T) {
	list, dropped, err := pin.ParseDefinitions(raw("[" + strings.Repeat(`{"name":"a"},`, 10_002) + `{"name":"b"}]`))
	if err != nil || len(list) != 10_000 || !slices.Equal(dropped, []string{"it lists more than 10,000 tools: those beyond the first 10,000 are not served; have it list fewer"}) {
		t.Errorf("%d tools, dropped %q, %v", len(list), dropped, err)
	}
}

func FuzzParseDefinitions(f *testing.F) {
	for _, s := range []string{`[]`, `[{"name":"a","inputSchema":{"a":[1.0,-0e5]}},{"name":"b","title":7}]`, `[{"name":"a\u200b","annotations":{}},null]`,
		`[{"name":"a","description":"\ud83d\ude00"}`, "[{\"name\":\"\xff\"}]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, dropped, err := pin.ParseDefinitions(data)
		var elements []json.RawMessage
		if isArray := json.Unmarshal(data, &elements) == nil && elements != nil; isArray != (err == nil) {
			t.Fatalf("array: %v, error: %v", isArray, err)
		}
		if len(list)+len(dropped) != len(elements) && len(elements) <= 10_000 {
			t.Fatalf("%d tools and %d dropped of %d", len(list), len(dropped), len(elements))
		}
		for _, s := range dropped {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, hidden) || len(s) > 1000 {
				t.Fatalf("not a clean line: %q", s)
			}
		}
		for _, d := range list {
			if d.Name == "" || len(d.Hash()) != 64 || d.Difference(d) != "" {
				t.Fatalf("%+v", d)
			}
		}
	})
}
