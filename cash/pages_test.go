package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

type none struct{}

func nothing(context.Context, none) (string, error) { return "", nil }

// serverOf returns a server of root functions.
func serverOf(functions ...*registry.Function) *cash.Server {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(functions...)
	return cash.NewServer(reg, nil)
}

// TestHelpSafety holds what a page says of what a call does to the world.
func TestHelpSafety(t *testing.T) {
	for _, tt := range []struct {
		readOnly, destructive, idempotent bool
		want                              string
	}{
		{false, false, false, ""},
		{true, false, false, "Read-only."},
		{false, true, false, "Destructive."},
		{false, true, true, "Destructive; safe to repeat."},
		{false, false, true, "Safe to repeat."},
	} {
		facts := []registry.FuncOption{registry.Idempotent(tt.idempotent), registry.Destructive(tt.destructive)}
		if tt.readOnly {
			facts = []registry.FuncOption{registry.ReadOnly}
		}
		srv := serverOf(registry.Func("f", "About f.", nothing, facts...))
		want := "# f\n\nAbout f.\n"
		if tt.want != "" {
			want += "\n" + tt.want + "\n"
		}
		if got := help(t, srv, "", "f", ""); !strings.HasPrefix(got, want+"\nNo parameters.\n") {
			t.Errorf("want %q, got\n%s", tt.want, got)
		}
		var page struct{ Safety string }
		if err := json.Unmarshal([]byte(help(t, srv, "", "f", `{"format":"json"}`)), &page); err != nil || page.Safety != tt.want {
			t.Errorf("want %q, got %+v, %v", tt.want, page, err)
		}
	}
}

// TestHelpArguments holds what a page says of the arguments that it does not
// list.
func TestHelpArguments(t *testing.T) {
	schema := func(s string) *registry.Function {
		f, err := registry.RawFunc("f", "", json.RawMessage(s), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const (
		noneText  = "No parameters."
		anyText   = "Takes any arguments; none are declared."
		otherText = "Other arguments are accepted too."
		moreText  = "Additional parameters available with `params=\"full\"`."
	)
	type advanced struct {
		A string `json:"a,omitempty" cash:"advanced"`
	}
	for _, tt := range []struct {
		name       string
		f          *registry.Function
		want       string
		open, more bool
	}{
		{"closed and empty", schema(`{"type":"object","additionalProperties":false}`), noneText, false, false},
		{"open and empty", schema(``), anyText, true, false},
		{"open", schema(`{"type":"object","properties":{"a":{"type":"string"}}}`), otherText, true, false},
		{"closed", schema(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`), "", false, false},
		{"advanced only", registry.Func("f", "", func(context.Context, advanced) (string, error) { return "", nil }), moreText, false, true},
		{"nested", registry.Func("f", "", createOrder), moreText, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := serverOf(tt.f)
			text := help(t, srv, "", "f", "")
			for _, line := range []string{noneText, anyText, otherText, moreText} {
				if strings.Contains(text, line) != (line == tt.want) {
					t.Errorf("%q:\n%s", line, text)
				}
			}
			var page struct {
				Open bool
				More string
			}
			if err := json.Unmarshal([]byte(help(t, srv, "", "f", `{"format":"json"}`)), &page); err != nil || page.Open != tt.open || (page.More == `params="full"`) != tt.more {
				t.Errorf("got %+v, %v", page, err)
			}
			full := help(t, srv, "", "f", `{"format":"json","params":"full"}`)
			if strings.Contains(full, `"more"`) {
				t.Errorf("R42: the full page promises more: %s", full)
			}
			if !strings.Contains(full, `"schema":`+string(tt.f.InputSchema())) {
				t.Errorf("the full page has not the schema: %s", full)
			}
			for _, kwargs := range []string{`{"format":"json"}`, `{"params":"full"}`} {
				if page := help(t, srv, "", "f", kwargs); strings.Contains(page, "schema") {
					t.Errorf("the page %s has the schema: %s", kwargs, page)
				}
			}
		})
	}
}

// TestHelpCells holds that what a parameter says of itself stays in its cell.
func TestHelpCells(t *testing.T) {
	f, err := registry.RawFunc("f", "", json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
		"a|b":{"type":"string","description":"One | two\nthree | four."}}}`),
		func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	const want = "\n| a\\|b | string | no | One \\| two three \\| four. |\n"
	if got := help(t, serverOf(f), "", "f", "") + "\n"; !strings.Contains(got, want) {
		t.Errorf("want %q, got\n%s", want, got)
	}
}

// TestListEntries holds R50: an entry is one clean and bounded line, whatever
// was registered.
func TestListEntries(t *testing.T) {
	word := strings.Repeat("x", 9) + " "
	for _, tt := range []struct{ name, description, want string }{
		{"first line", "\n  One.\nTwo.", "One."},
		{"carriage return", "One.\rTwo.", "One."},
		{"other line ends", "One.\u2028Two.\u0085Three.", "One."},
		{"invisible", "O\x1b[31mn\u200be\u202e.\x00\u3164\U000e0100", "One."},
		{"other white space", "One\vtwo\f three\u00a0\tfour.", "One two three four."},
		{"a line of nothing visible", "\u200b\x1b[0m\nOne.", "One."},
		{"not UTF-8", "On\xffe.", "One."},
		{"as long as may be", strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{"too long", strings.Repeat("é", 201), strings.Repeat("é", 199) + "…"},
		{"at a word", strings.Repeat(word, 30), strings.TrimSuffix(strings.Repeat(word, 19), " ") + "…"},
	} {
		t.Run("R50 "+tt.name, func(t *testing.T) {
			reg := registry.New(nil)
			reg.Namespace("n", tt.description).Add(registry.Func("f", tt.description, nothing))
			reg.Namespace("n", "").AddSkill(registry.NewSkill("s", tt.description, "x"))
			srv := cash.NewServer(reg, nil)
			skills, err := srv.Skill(context.Background(), &cash.SkillRequest{Namespace: "n"})
			if err != nil {
				t.Fatal(err)
			}
			for page, line := range map[string]string{
				help(t, srv, "", "", ""):         "- **n** — " + tt.want + "\n",
				help(t, srv, "n", "", "") + "\n": "- **f** — " + tt.want + "\n",
				skills:                           "- **s** — " + tt.want + "\n",
			} {
				if !strings.Contains(page, line) || strings.Contains(page, "Two") {
					t.Errorf("want %q, got %q", line, page)
				}
			}
			if got := help(t, srv, "n", "", `{"format":"json"}`); !strings.Contains(got, fmt.Sprintf(`"description":%q`, tt.want)) {
				t.Errorf("want %q, got %s", tt.want, got)
			}
		})
	}
}

// TestRegisteredSpelling holds R34: what is shown is spelt as registered,
// however it was asked for.
func TestRegisteredSpelling(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("Order_Mgmt.Re_Tail", "").Add(registry.Func("Create_Order", "", createOrder))
	reg.Namespace("Order_Mgmt.Re_Tail", "").AddSkill(registry.NewSkill("How_To", "", "x"))
	srv := cash.NewServer(reg, nil)
	pages := map[string][2]string{
		help(t, srv, "", "", ""):                                                             {"- **Order_Mgmt**", ""},
		help(t, srv, "ordermgmt", "", ""):                                                    {"# Order_Mgmt\n", "- **Re_Tail**"},
		help(t, srv, "ORDERMGMT.retail", "", ""):                                             {"# Order_Mgmt.Re_Tail\n", "- **Create_Order**"},
		help(t, srv, "ORDERMGMT.retail", "createorder", ""):                                  {"# Order_Mgmt.Re_Tail.Create_Order\n", "customer_id"},
		help(t, srv, "ordermgmt", "", `{"format":"json"}`):                                   {`"namespace":"Order_Mgmt"`, `"name":"Re_Tail"`},
		help(t, srv, "ordermgmt.retail", "createorder", `{"examples":true,"params":"full"}`): {`namespace="Order_Mgmt.Re_Tail"`, `function="Create_Order"`},
	}
	list, err := srv.Skill(context.Background(), &cash.SkillRequest{Namespace: "ORDER_mgmt.RETAIL"})
	if err != nil {
		t.Fatal(err)
	}
	pages[list] = [2]string{"# Skills in Order_Mgmt.Re_Tail", "- **How_To**"}
	_, err = srv.Call(context.Background(), &cash.CallRequest{Namespace: "ordermgmt.retail", Function: "createorder", Kwargs: json.RawMessage(`{"CUSTOMERID":1}`)})
	if err == nil {
		t.Fatal("a number is a customer")
	}
	pages[err.Error()] = [2]string{`help(namespace="Order_Mgmt.Re_Tail", function="Create_Order")`, "customer_id"}
	for page, parts := range pages {
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("R34: want %q, got\n%s", part, page)
			}
		}
	}
}
