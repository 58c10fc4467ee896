package card_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/toolid/card"
)

func ExampleSelect() {
	ids := []string{"github:create_issue#6c5f877d", "github:close_issue#0f3a91c7"}
	for _, answer := range []string{"github:create_issue#6c5f877d", " GitHub:Close_Issue ", "github:c"} {
		s := card.Select(answer, ids, true)
		fmt.Printf("%s %q %q %q\n", s.Status, s.ID, s.Repair, s.Reason)
	}
	// Output:
	// accepted "github:create_issue#6c5f877d" "" ""
	// repaired "github:close_issue#0f3a91c7" "prefix" ""
	// rejected "" "" "ambiguous_prefix"
}

func ExampleSelectionSchema() {
	schema, err := card.SelectionSchema(card.JSONSchema, []string{"a:b@1", "a:c@1", "a:b@1"})
	fmt.Println(string(schema), err)
	// Output: {"type":"object","properties":{"selection":{"type":"string","description":"The id of the chosen card, exactly as offered.","enum":["a:b@1","a:c@1"]}},"required":["selection"],"additionalProperties":false} <nil>
}

func TestW15Vectors(t *testing.T) {
	type vector struct {
		Candidates []string
		Repair     bool
		Selected   string // null is ""
		Result     map[string]any
	}
	for _, v := range readLines[vector](t, "testdata/selection.jsonl") {
		data, err := json.Marshal(card.Select(v.Selected, v.Candidates, v.Repair))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, v.Result) {
			t.Errorf("Select(%q, repair %v)\n got %s\nwant %v", v.Selected, v.Repair, data, v.Result)
		}
	}
}

func TestW15Select(t *testing.T) {
	ids := []string{"github:create_issue#aaaaaaaa", "github:create_issue2#bbbbbbbb", "GitHub:X#cccccccc", "github:x#cccccccc", "slack:send@1", "slack:send@1"}
	for _, test := range []struct {
		answer string
		status card.Status
		id     string
		repair card.Repair
		reason card.Reason
	}{
		{" \t\r\n\v\f\x1c\x1d\x1e\x1f\u0085\u00a0\u3000\u2028", card.Rejected, "", "", card.EmptySelection},
		{"\x1f\u00a0slack:send@1\u3000", card.Repaired, "slack:send@1", card.Strip, ""},
		{"\u200bslack:send@1", card.Rejected, "", "", card.NotACandidate},
		{"GitHub:X#cccccccc", card.Accepted, "GitHub:X#cccccccc", "", ""},
		{"GITHUB:X#CCCCCCCC", card.Rejected, "", "", card.AmbiguousCaseFold},
		{" Slack:Send@1 ", card.Repaired, "slack:send@1", card.CaseFold, ""},
		{"slack", card.Repaired, "slack:send@1", card.Prefix, ""},
		{" SLACK ", card.Repaired, "slack:send@1", card.Prefix, ""},
		{"github:create_issue", card.Rejected, "", "", card.AmbiguousPrefix},
		{"github:create_issue#", card.Repaired, "github:create_issue#aaaaaaaa", card.Prefix, ""},
		{"slack:send@1 x", card.Rejected, "", "", card.NotACandidate},
		{"slac\u212a:send@1", card.Repaired, "slack:send@1", card.CaseFold, ""}, // the KELVIN sign, whose lower case is k
	} {
		want := card.Selection{Status: test.status, ID: test.id, RawID: test.answer, Reason: test.reason, Repair: test.repair}
		if got := card.Select(test.answer, ids, true); got != want {
			t.Errorf("Select(%q)\n got %+v\nwant %+v", test.answer, got, want)
		}
	}
	if got := card.Select("a", nil, true); got.Reason != card.NotACandidate {
		t.Errorf("without candidates: %+v", got)
	}
}

func TestW15LongAnswer(t *testing.T) {
	got := card.Select(strings.Repeat("é", 5<<20), []string{"a:b@1"}, true)
	if got.Status != card.Rejected || len(got.RawID) > 1024 || !utf8.ValidString(got.RawID) {
		t.Errorf("%s, %d bytes kept", got.Status, len(got.RawID))
	}
	if got := card.Select(strings.Repeat(" ", 5<<20)+"a:b@1", []string{"a:b@1"}, true); got.ID != "a:b@1" {
		t.Errorf("%+v", got)
	}
}

func TestW15Schema(t *testing.T) {
	const bare = `{"type":"object","properties":{"selection":{"type":"string","description":"The id of the chosen card, exactly as offered.","enum":["b:c@1","a:<b>@1"]}},"required":["selection"],"additionalProperties":false}`
	for form, want := range map[card.SchemaForm]string{
		card.JSONSchema: bare,
		card.OpenAI:     `{"type":"json_schema","json_schema":{"name":"tool_selection","strict":true,"schema":` + bare + `}}`,
		card.Anthropic:  `{"name":"tool_selection","description":"Select one of the offered cards.","input_schema":` + bare + `}`,
	} {
		got, err := card.SelectionSchema(form, []string{"b:c@1", "", "a:<b>@1", "b:c@1"})
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", form, got, err)
		}
	}
	for _, ids := range [][]string{nil, {""}} {
		if _, err := card.SelectionSchema(card.OpenAI, ids); !errors.Is(err, card.ErrNoCandidates) {
			t.Errorf("from %q: %v", ids, err)
		}
	}
	if _, err := card.SelectionSchema("xml", []string{"a"}); err == nil {
		t.Error("a strange form has a schema")
	}
}

func FuzzSelect(f *testing.F) {
	f.Add(" A:b ", "a:b", "a:bc", true)
	f.Fuzz(func(t *testing.T, answer, one, two string, repair bool) {
		ids := []string{one, two}
		got := card.Select(answer, ids, repair)
		if got.Status == card.Rejected {
			offered := answer == one || answer == two
			if got.ID != "" || got.Reason == "" || offered && got.Reason != card.EmptySelection {
				t.Errorf("%+v of %q", got, ids)
			}
			return
		}
		if got.ID != one && got.ID != two || got.ID == "" || got.Reason != "" || (got.Status == card.Repaired) != (got.Repair != "") {
			t.Errorf("%+v of %q", got, ids)
		}
		if again := card.Select(got.ID, ids, false); again.ID != got.ID {
			t.Errorf("what was selected is not selected: %+v", again)
		}
	})
}
