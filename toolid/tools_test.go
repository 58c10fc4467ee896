package toolid_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

// def is a definition from name, schema and version; the last two may be left out.
func def(fields ...string) toolid.Definition {
	fields = append(fields, "", "")
	return toolid.Definition{Name: fields[0], InputSchema: json.RawMessage(fields[1]), Version: fields[2]}
}

// describe writes entries as lines, without their problems.
func describe(entries []toolid.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s", e.Name, e.Status)
		if e.ID != (toolid.ID{}) {
			fmt.Fprintf(&b, " %s", e.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestFromTools(t *testing.T) {
	for _, tt := range []struct {
		row, name string
		defs      []toolid.Definition
		want      string
		problems  []string
	}{
		{"W5", "kept", []toolid.Definition{def("svc.op"), def("read_file", "", "1.0")},
			"svc.op kept svc:op#2f2994e0\nread_file kept mcp:read_file@1.0\n", nil},
		{"W5", "mapped", []toolid.Definition{def("GitHub.create issue"), def("3d/render"), def("1tool"), def("検索.実行"), def("")},
			"GitHub.create issue mapped github:create_issue#ab2c1865\n3d/render mapped n3d:render#a2103078\n" +
				"1tool mapped mcp:_1tool#f81371bb\n検索.実行 mapped n__:__#2386c98f\n mapped mcp:_#2f974b77\n",
			[]string{`tool "GitHub.create issue": namespace "GitHub"`, `namespace "3d"`, `name "1tool"`, `\u691c`, `name ""`}},
		{"W5", "a version outside the grammar", []toolid.Definition{def("svc.op", "", "1.0+b")},
			"svc.op mapped svc:op@1.0_b#2f2994e0\n", []string{`version "1.0+b"`}},
		{"W5", "a mapped name keeps its version and gets a hash", []toolid.Definition{def("Svc.op", "", "1.0"), def("svc.op", "", "1.0")},
			"Svc.op mapped svc:op@1.0#1abbd204\nsvc.op kept svc:op@1.0\n", []string{`namespace "Svc"`}},
		{"W6", "one id for two", []toolid.Definition{def("a.b", "", "1"), def("c.d"), def("a/b", "", "1")},
			"a.b refused\nc.d kept c:d#7d1090b2\na/b refused\n", []string{`id a:b@1 is that of tool "a/b" too`, `is that of tool "a.b" too`}},
		{"W6", "repeated", []toolid.Definition{def("c.d"), def("c.d"), def("e f"), def("e f"), def("c.d")},
			"c.d kept c:d#7d1090b2\nc.d duplicate\ne f mapped mcp:e_f#4717118b\ne f duplicate\nc.d duplicate\n",
			[]string{`tool "c.d": listed before`, `name "e f"`}},
		{"W6", "two definitions of one name", []toolid.Definition{def("c.d"), def("a.b"), def("c.d", `{"properties":{"x":{}}}`)},
			"c.d refused\na.b kept a:b#a25c3fd6\nc.d refused\n", []string{`tool "c.d": listed with different definitions`}},
		{"W6", "a schema that cannot be read, or in part", []toolid.Definition{def("c.d", `[1]`), def("a.b", `{"properties":{"p":{}},"required":true}`), def("e.f", "{", "1")},
			"c.d mapped c:d#7d1090b2\na.b mapped a:b#d4b505d7\ne.f kept e:f@1\n", []string{`tool "c.d": input schema is not an object`, `tool "a.b": input schema: required is not an array`}},
	} {
		entries, err := toolid.FromTools(tt.defs, toolid.Mapping)
		if err != nil || describe(entries) != tt.want {
			t.Errorf("%s: %s: %v, got\n%swant\n%s", tt.row, tt.name, err, describe(entries), tt.want)
		}
		var problems []string
		for _, e := range entries {
			if (e.Problem == nil) != (e.Status == toolid.Kept) {
				t.Errorf("%s: %s: %q is %s with problem %v", tt.row, tt.name, e.Name, e.Status, e.Problem)
			}
			problems = append(problems, fmt.Sprint(e.Problem))
		}
		for _, want := range tt.problems {
			if !strings.Contains(strings.Join(problems, "\n"), want) {
				t.Errorf("%s: %s: %q does not say %q", tt.row, tt.name, problems, want)
			}
		}
		_, err = toolid.FromTools(tt.defs, toolid.Strict)
		if (err == nil) != (tt.problems == nil) {
			t.Errorf("%s: %s: strict: %v", tt.row, tt.name, err)
		}
	}
}

// TestRepeated lists a tool twice, with the schema spelled in other ways.
func TestRepeated(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"default":1.50},"b":{"enum":["é","<",9007199254740993]}},"required":["a","b"]}`
	for _, tt := range []struct {
		name, again string
		want        toolid.Status
	}{
		{"itself", schema, toolid.Duplicate},
		{"white space", "\n" + strings.ReplaceAll(schema, ",", ",\t\r\n ") + " ", toolid.Duplicate},
		{"order of keys", `{"required":["a","b"],"properties":{"b":{"enum":["é","<",9007199254740993]},"a":{"default":1.50}},"type":"object"}`, toolid.Duplicate},
		{"escapes", strings.NewReplacer("é", `\u00e9`, "<", `\u003C`, `"a"`, `"\u0061"`).Replace(schema), toolid.Duplicate},
		{"order of an array", strings.ReplaceAll(schema, `["a","b"]`, `["b","a"]`), toolid.Refused},
		{"another type", strings.ReplaceAll(schema, `{"default":1.50}`, `{"default":"1.50"}`), toolid.Refused},
		{"a number beyond a float", strings.ReplaceAll(schema, "993", "992"), toolid.Refused},
		{"a number's spelling", strings.ReplaceAll(schema, "1.50", "1.5"), toolid.Refused},
		{"a description", strings.ReplaceAll(schema, `"object",`, `"object","description":"x",`), toolid.Refused},
		{"no JSON", schema + "}", toolid.Refused},
		{"nothing", "", toolid.Refused},
	} {
		for _, pair := range [][]toolid.Definition{{def("c.d", schema), def("c.d", tt.again)}, {def("c.d", tt.again), def("c.d", schema)}} {
			entries, err := toolid.FromTools(pair, toolid.Mapping)
			if err != nil || entries[1].Status != tt.want || (entries[0].Status == toolid.Refused) != (tt.want == toolid.Refused) {
				t.Errorf("W6: %s: %v\n%s", tt.name, err, describe(entries))
			}
		}
	}
	for _, differ := range [][2]string{{`{"a":"\ud800"}`, `{"a":"\ud801"}`}, {"{\"a\":\"\xfe\"}", "{\"a\":\"\xff\"}"}, {"{", "}"}} {
		entries, err := toolid.FromTools([]toolid.Definition{def("c.d", differ[0]), def("c.d", differ[1])}, toolid.Mapping)
		if err != nil || entries[1].Status != toolid.Refused {
			t.Errorf("W6: %q and %q: %v\n%s", differ[0], differ[1], err, describe(entries))
		}
	}
	if entries, err := toolid.FromTools([]toolid.Definition{def("c.d", schema, "1"), def("c.d", schema, "2")}, toolid.Mapping); err != nil || entries[1].Status != toolid.Refused {
		t.Errorf("W6: two versions: %v\n%s", err, describe(entries))
	}
}

// TestRepeatedOften lists one name with a large schema and many small ones, and
// one schema that is deep: at the square of their size it would not end soon.
func TestRepeatedOften(t *testing.T) {
	defs := []toolid.Definition{def("c.d", `{"enum":[`+strings.Repeat("1,", 1<<18)+"1]}")}
	for i := range 5000 {
		defs = append(defs, def("c.d", fmt.Sprintf(`{"enum":[%d]}`, i)))
	}
	deep := strings.Repeat(`{"a":[`, 1<<18) + strings.Repeat(`]}`, 1<<18)
	defs = append(defs, def("e.f", deep), def("e.f", deep+" "))
	entries, err := toolid.FromTools(defs, toolid.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if e.Status != toolid.Refused && i < len(defs)-2 {
			t.Fatalf("W6: entry %d is %s", i, e.Status)
		}
	}
}

// TestStrict holds that the error of the strict mode names what is wrong, up
// to a number.
func TestStrict(t *testing.T) {
	defs := []toolid.Definition{def("a.b"), def("a.b"), def("x y"), def("c.d", "[1]")}
	_, err := toolid.FromTools(defs, toolid.Strict)
	const want = `3 of 4 tools have no id: tool "a.b": listed before; tool "x y": name "x y" does not match ` +
		`[A-Za-z_][A-Za-z0-9_.-]{0,127} at byte 1; tool "c.d": input schema is not an object`
	if err == nil || err.Error() != want {
		t.Errorf("W6: %v; want %s", err, want)
	}
	defs = nil
	for i := range 5000 {
		defs = append(defs, def(strings.Repeat("\x1b", 10_000)+fmt.Sprint(i)))
	}
	_, err = toolid.FromTools(defs, toolid.Strict)
	if err == nil || len(err.Error()) > 10_000 || !strings.HasSuffix(err.Error(), "; and 4990 more") || strings.Trim(err.Error(), printable) != "" {
		t.Errorf("W6: error of %d bytes: %.300s", len(fmt.Sprint(err)), err)
	}
	if entries, err := toolid.FromTools(nil, toolid.Strict); err != nil || len(entries) != 0 {
		t.Errorf("W6: nothing listed: %v, %v", entries, err)
	}
}

// TestForgedHash maps names whose hashes were made to agree in their first
// eight digits: two mapped ones with each other, one with a legal one.
func TestForgedHash(t *testing.T) {
	pair := []toolid.Definition{def("x.go\U000136F2"), def("x.go\U0001A65D")}
	alone, err := toolid.FromTools(pair[:1], toolid.Mapping)
	if err != nil || alone[0].ID.String() != "x:go_#5cc8d688" {
		t.Fatalf("W5: alone: %s%v", describe(alone), err)
	}
	entries, err := toolid.FromTools(pair, toolid.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Status != toolid.Mapped || e.ID == alone[0].ID {
			t.Errorf("W5: %s is %s as %s", e.Name, e.Status, e.ID)
		}
	}
	if entries[0].ID == entries[1].ID {
		t.Errorf("W5: both are %s", entries[0].ID)
	}

	legal, mapped := def("x.go_", `{"properties":{"p119884":{}}}`), def("x.go ", `{"properties":{"p13300":{}}}`)
	alone, err = toolid.FromTools([]toolid.Definition{mapped}, toolid.Mapping)
	if err != nil || alone[0].ID.String() != "x:go_#db5b8903" {
		t.Fatalf("W5: alone: %s%v", describe(alone), err)
	}
	for _, defs := range [][]toolid.Definition{{legal, mapped}, {mapped, legal}} {
		entries, err := toolid.FromTools(defs, toolid.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if kept := e.Name == legal.Name; e.ID == (toolid.ID{}) || kept != (e.Status == toolid.Kept) || kept != (e.ID == alone[0].ID) {
				t.Errorf("W5: %q is %s as %s", e.Name, e.Status, e.ID)
			}
		}
	}
}

// randomDefs makes definitions that meet every rule: few names, some of them
// outside the grammar, few versions and schemas.
func randomDefs(r *rand.Rand) []toolid.Definition {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	defs := make([]toolid.Definition, r.IntN(60))
	for i := range defs {
		name := pick("a", "A", "b", "日", "1", "a_b_c", "") + pick(".", "/", "_", " ", "") + pick("x", "X", "é", "x y", "2", "")
		defs[i] = def(name, pick("", "", "", `{"properties":{"p":{}}}`, "[1]"), pick("", "", "", "1", "1+0"))
	}
	return defs
}

// TestFromToolsProperties holds for any listing: every definition has its
// entry; ids are valid, all different, and those of FromTool for names within
// the grammar; names outside never vanish without a reason that FromTool does
// not have; and the order of the listing makes no difference.
func TestFromToolsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		defs := randomDefs(r)
		entries, err := toolid.FromTools(defs, toolid.Mapping)
		if err != nil || len(entries) != len(defs) {
			t.Fatalf("W6: %d entries for %d definitions: %v", len(entries), len(defs), err)
		}
		byID := make(map[toolid.ID]string)
		byName := make(map[string]toolid.ID)
		for i, e := range entries {
			strict, err := toolid.FromTool(defs[i].Name, defs[i].InputSchema, defs[i].Version)
			switch {
			case e.Name != defs[i].Name:
				t.Fatalf("W5: the entry of %q is called %q", defs[i].Name, e.Name)
			case e.Status == toolid.Kept && (err != nil || e.ID != strict), e.Status == toolid.Mapped && err == nil:
				t.Fatalf("W5: %q is %s as %s; FromTool says %s, %v", e.Name, e.Status, e.ID, strict, err)
			case e.Status == toolid.Refused || e.Status == toolid.Duplicate:
				if e.ID != (toolid.ID{}) {
					t.Fatalf("W6: %q is %s as %s", e.Name, e.Status, e.ID)
				}
				continue
			}
			again, err := toolid.Parse(e.ID.String())
			if other, taken := byID[e.ID]; taken || err != nil || again != e.ID {
				t.Fatalf("W5: %q has id %s, taken by %q: %v", e.Name, e.ID, other, err)
			}
			byID[e.ID], byName[e.Name] = e.Name, e.ID
		}
		r.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
		shuffled, err := toolid.FromTools(defs, toolid.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		again := make(map[string]toolid.ID)
		for _, e := range shuffled {
			if e.ID != (toolid.ID{}) {
				again[e.Name] = e.ID
			}
		}
		if !maps.Equal(byName, again) {
			t.Fatalf("W6: %v, and in another order %v", byName, again)
		}
	}
}

// TestOthersUnaffected holds that what is wrong with some definitions changes
// nothing for the others.
func TestOthersUnaffected(t *testing.T) {
	good := []toolid.Definition{def("a.b"), def("c d"), def("e.f", "", "1"), def("G.h")}
	want, err := toolid.FromTools(good, toolid.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	bad := []toolid.Definition{def("z.z"), def("z.z", "{"), def("y.y", "", "1"), def("y/y", "", "1"), def("x.x"), def("x.x", "{}")}
	got, err := toolid.FromTools(slices.Concat(bad, good), toolid.Mapping)
	if err != nil || describe(got[len(bad):]) != describe(want) {
		t.Errorf("W6: %v, got\n%swant\n%s", err, describe(got[len(bad):]), describe(want))
	}
}

func TestStatus(t *testing.T) {
	if got := fmt.Sprint(toolid.Refused, toolid.Kept, toolid.Mapped, toolid.Duplicate, toolid.Status(9)); got != "refused kept mapped duplicate status(9)" {
		t.Error(got)
	}
}

// A server is the namespace of names without a dot or slash, and sets apart tools with the same id.
func TestFromToolsServer(t *testing.T) {
	long := strings.Repeat("x", 128)
	for _, q := range []struct {
		name, version, server string
		want                  string
		status                toolid.Status
	}{
		{"create_issue", "1.4.0", "github", "github:create_issue@1.4.0", toolid.Kept},
		{"github.create_issue", "1.4.0", "github", "github:create_issue@1.4.0", toolid.Kept},
		{"github.create_issue", "1.4.0", "gh", "github:create_issue@1.4.0", toolid.Kept},
		{"get-user", "1", "crm", "crm:get-user@1", toolid.Kept},
		{"getUser", "1", "CRM", "crm:getUser@1", toolid.Kept},
		{"slack_send_message", "1", "chat", "chat:slack_send_message@1", toolid.Kept},
		{"read_file", "1", "eu.My_Files", "eu:My_Files.read_file@1", toolid.Kept},
		{long, "1", "s", "s:" + long + "@1", toolid.Kept},
	} {
		list, err := toolid.FromTools([]toolid.Definition{{Name: q.name, Version: q.version, Server: q.server}}, toolid.Mapping)
		if err != nil || list[0].ID.String() != q.want || list[0].Status != q.status {
			t.Errorf("%s of %s: %v (%v)", q.name, q.server, list, err)
		}
	}
	defs := []toolid.Definition{
		{Name: "files.read", Version: "1", Server: "a"},
		{Name: "files.read", Version: "1", Server: "b"},
		{Name: "read", Version: "1", Server: "files"}, // its server is the namespace already
		{Name: "create", Version: "1", Server: "x"},
		{Name: "x.create", Version: "1", Server: "x"},
		{Name: "gone", Version: "1"},
		{Name: "mcp.gone", Version: "1"},
	}
	want := []string{"a:files.read@1", "b:files.read@1", "files:read@1", "x:create@1", "x:x.create@1", ":", ":"}
	for range 50 {
		list, _ := toolid.FromTools(defs, toolid.Mapping)
		for i, e := range list {
			if e.ID.String() != want[i] {
				t.Fatalf("%+v is %s, want %s (%v)", defs[i], e.ID, want[i], e.Problem)
			}
		}
		rand.Shuffle(len(defs), func(i, j int) {
			defs[i], defs[j] = defs[j], defs[i]
			want[i], want[j] = want[j], want[i]
		})
	}
}
