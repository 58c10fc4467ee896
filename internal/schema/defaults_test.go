package schema_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

type withDefaults struct {
	Priority string                 `json:"priority,omitempty" cash:"default=normal"`
	Limit    int                    `json:"limit,omitempty" cash:"default=10"`
	Inner    *innerDefaults         `json:"inner,omitempty" cash:"default='{\"a\":1}'"`
	List     []innerDefaults        `json:"list,omitempty"`
	Map      map[string]innerOnly   `json:"map,omitempty"`
	Plain    map[string]json.Number `json:"plain,omitempty"`
}

type innerDefaults struct {
	A int  `json:"a"`
	B bool `json:"b,omitempty" cash:"default=true"`
}

type innerOnly struct {
	Tags []string `json:"tags,omitempty" cash:"default='[\"x\"]'"`
}

func TestWithDefaultsTyped(t *testing.T) {
	s := typed[withDefaults](t)
	const all = `"priority":"normal","limit":10,"inner":{"a":1,"b":true}`
	for in, want := range map[string]string{
		`{}`:                               `{` + all + `}`,
		" { \n } ":                         ` {` + all + " \n } ",
		`{ "limit" : 1e1 , "inner":null }`: `{ "limit" : 1e1 , "inner":null,"priority":"normal" }`,
		`{"\u006cimit":3,"priority":"","inner":{}}`:                                                   `{"\u006cimit":3,"priority":"","inner":{"b":true}}`,
		`{"inner":{"b":false,"a":2},"list":[{"a":1},{"b":false}, { }],` + `"limit":1,"priority":"x"}`: `{"inner":{"b":false,"a":2},"list":[{"a":1,"b":true},{"b":false}, {"b":true }],"limit":1,"priority":"x"}`,
		`{"map":{"limit":{},"k":{"tags":[]}},"limit":1,"priority":"x","inner":{"b":true}}`:            `{"map":{"limit":{"tags":["x"]},"k":{"tags":[]}},"limit":1,"priority":"x","inner":{"b":true}}`,
		`[1]`: `[1]`,
	} {
		if got := string(s.WithDefaults([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	full := []byte(`{"priority":"a","limit":1,"inner":{"a":1,"b":true},"plain":{"priority":1}}`)
	if got := s.WithDefaults(full); &got[0] != &full[0] {
		t.Errorf("a document that lacks nothing was copied: %s", got)
	}
	if typed[innerOnly](t).HasDefaults() != true || typed[item](t).HasDefaults() {
		t.Error("HasDefaults is wrong")
	}
}

// A pointer and what it points to can both be recursive: then a reference leads to a reference.
type (
	link     *linkNode
	linkNode struct {
		Wait  time.Duration `json:"wait,omitempty" cash:"default=5m"`
		Next  link          `json:"next,omitempty"`
		Other *linkNode     `json:"other,omitempty"`
	}
)

func TestReferenceToReference(t *testing.T) {
	s := typed[struct {
		V link `json:"v"`
	}](t)
	got := string(s.Native(s.WithDefaults([]byte(`{"v":{"next":{"other":{"next":{"wait":"1s"}}}}}`))))
	if want := `{"v":{"next":{"other":{"next":{"wait":1000000000},"wait":300000000000},"wait":300000000000},"wait":300000000000}}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestWithDefaultsForeign(t *testing.T) {
	s := parse(t, `{"properties":{"a":{"default":{"x": 1}},"b":{"properties":{"c":{"default":1}}},"loop":{"$ref":"#"}}}`)
	for in, want := range map[string]string{
		`{}`:                        `{"a":{"x": 1}}`,
		`{"b":{},"loop":{},"a":1}`:  `{"b":{},"loop":{},"a":1}`,
		`{"b":{},"loop":{},"zz":1}`: `{"b":{},"loop":{},"zz":1,"a":{"x": 1}}`,
	} {
		if got := string(s.WithDefaults([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	for _, beside := range []string{`"$ref":"#/$defs/A"`, `"anyOf":[{"$ref":"#/$defs/A"},{"required":["b"]}]`, `"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]`} {
		s := parse(t, `{"type":"object","properties":{"a":{"default":1}},`+beside+`,"$defs":{"A":{"properties":{"x":{"default":2}}}}}`)
		if got := string(s.WithDefaults([]byte(`{}`))); got != `{"a":1}` {
			t.Errorf("%s: %s", beside, got)
		}
	}
	if s := parse(t, `{"type":"string","default":"a"}`); s.HasDefaults() {
		t.Error("the default of the whole document is no member")
	}
}

// FuzzWithDefaults holds the result to what it promises: accepted again,
// complete, and the document as it was but for the members that were missing.
func FuzzWithDefaults(f *testing.F) {
	s := typed[withDefaults](f)
	for _, doc := range []string{`{}`, `{"list":[{"a":1},{"a":2,"b":false}],"map":{"k":{}}}`, ` {"inner" :{ "a" : 3 } } `, `{"limit":4,"inner":null}`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || s.Check(context.Background(), data) != nil {
			return
		}
		filled := s.WithDefaults(data)
		if err := s.Check(context.Background(), filled); err != nil {
			t.Fatalf("%s became %s: %v", data, filled, err)
		}
		if again := s.WithDefaults(filled); &again[0] != &filled[0] {
			t.Fatalf("%s is not complete: %s", filled, again)
		}
		var before, after withDefaults
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(filled, &after) != nil {
			t.Fatalf("%s or %s does not decode", data, filled)
		}
		if before.Limit != 0 && before.Limit != after.Limit || len(before.List) != len(after.List) || len(before.Map) != len(after.Map) {
			t.Fatalf("%s became %s", data, filled)
		}
	})
}
