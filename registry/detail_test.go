package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

type ticketRef struct {
	ID string `json:"id" cash:"detail=minimal"`
}

// A ticket has a field of each level, one without a word and an excerpt.
type ticket struct {
	ID       string   `json:"id" cash:"detail=minimal"`
	Title    string   `json:"title" cash:"detail=minimal,excerpt=12"`
	Status   string   `json:"status"`
	Body     string   `json:"body,omitempty" cash:"detail=standard,excerpt=20"`
	Comments []string `json:"comments" cash:"detail=full"`
	Parent   *ticket  `json:"parent,omitempty"`
}

// callAt calls a function of one output at a level.
func callAt[Out any](t *testing.T, level registry.Detail, out Out, facts ...registry.FuncOption) *registry.Result {
	t.Helper()
	f := registry.Func("get", "Get it.", func(context.Context, struct{}) (Out, error) { return out, nil }, facts...)
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(f)
	res, err := registry.NewPipeline(reg, nil).Call(context.Background(), &registry.Request{Namespace: "n", Function: "get", Detail: level})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestF8Levels(t *testing.T) {
	whole := ticket{ID: "T-1", Title: "Printer on fire", Status: "open", Body: "It burns since Monday morning.", Comments: []string{"Still <burning>."},
		Parent: &ticket{ID: "T-0", Title: "Printers"}}
	const full = `{"id":"T-1","title":"Printer on fire","status":"open","body":"It burns since Monday morning.","comments":["Still <burning>."],` +
		`"parent":{"id":"T-0","title":"Printers","status":"","comments":null}}`
	want := map[registry.Detail]string{
		registry.Minimal: `{"id":"T-1","title":"Printer on…"}`,
		registry.Standard: `{"id":"T-1","title":"Printer on…","status":"open","body":"It burns since…",` +
			`"parent":{"id":"T-0","title":"Printers","status":""}}`,
		registry.Full: full,
		"":            full,
	}
	for level, text := range want {
		t.Run("level "+string(level), func(t *testing.T) {
			check := func(what string, got *registry.Result, want string) {
				t.Helper()
				if got.Text() != want || !got.JSON {
					t.Errorf("%s (JSON %t):\n%s, want\n%s", what, got.JSON, got.Text(), want)
				}
			}
			check("value", callAt(t, level, whole), text)
			check("pointer", callAt(t, level, &whole), text)
			check("any", callAt[any](t, level, whole), text)
			check("list", callAt(t, level, []ticket{whole}), "["+text+"]")
			check("map", callAt(t, level, map[string]any{"k": &whole}), `{"k":`+text+"}")
			check("struct", callAt(t, level, struct{ Found [1]ticket }{[1]ticket{whole}}), `{"Found":[`+text+"]}")
			check("nothing", callAt(t, level, []ticket(nil)), "[]")
			structured := callAt(t, level, whole, registry.Structured)
			check("structured", structured, text)
			if string(structured.Structured) != text {
				t.Errorf("structured content: %s", structured.Structured)
			}
		})
	}
}

// Embedded structs share the object, and so the rule for fields without a word.
func TestF8Embedded(t *testing.T) {
	type plain struct {
		Size int `json:"size"`
	}
	type late struct {
		Early string `json:"early" cash:"detail=minimal"`
		Late  string `json:"late"`
		Last  string `json:"last" cash:"detail=full"`
	}
	tests := []struct {
		name              string
		v                 any
		minimal, standard string
	}{
		{"words inside", struct {
			ticketRef
			Extra int
		}{}, `{"id":""}`, `{"id":"","Extra":0}`},
		{"words outside", struct {
			plain
			Name string `cash:"detail=minimal"`
		}{}, `{"Name":""}`, `{"size":0,"Name":""}`},
		{"a word on the embedded", struct {
			late `cash:"detail=standard"`
		}{}, `{}`, `{"early":"","late":""}`},
		{"full on the embedded", struct {
			plain `cash:"detail=full"`
			Name  string
		}{}, `{}`, `{"Name":""}`},
		{"a name for it", struct {
			plain `json:"plain" cash:"detail=minimal"`
		}{}, `{"plain":{"size":0}}`, `{"plain":{"size":0}}`},
		{"no words", struct {
			plain
			Name string
		}{}, `{"size":0,"Name":""}`, `{"size":0,"Name":""}`},
		{"only an excerpt", struct {
			Name string `cash:"excerpt=5"`
			Size int
		}{Name: "long name"}, `{"Name":"long…","Size":0}`, `{"Name":"long…","Size":0}`},
		{"quoted", struct {
			Name string  `json:",string" cash:"excerpt=5"`
			None *string `json:",string" cash:"excerpt=5"`
		}{Name: `lo"g name`}, `{"Name":"\"lo\\\"g…\"","None":null}`, `{"Name":"\"lo\\\"g…\"","None":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := callAt(t, registry.Minimal, tt.v).Text(); got != tt.minimal {
				t.Errorf("minimal: %s, want %s", got, tt.minimal)
			}
			if got := callAt(t, registry.Standard, tt.v).Text(); got != tt.standard {
				t.Errorf("standard: %s, want %s", got, tt.standard)
			}
		})
	}
}

type badLevel struct {
	Name string `cash:"detail=some"`
}

type deepBad struct {
	List []map[string]*badLevel
}

func TestDetailTagsAtRegistration(t *testing.T) {
	type number struct {
		Size int `cash:"excerpt=5"`
	}
	type short struct {
		Name string `cash:"excerpt=1"`
	}
	type bare struct {
		Name string `cash:"detail"`
	}
	type typo struct {
		Name string `cash:"detial=full"`
	}
	type numeral struct {
		Name json.Number `cash:"excerpt=5"`
	}
	type around struct {
		ticketRef `cash:"detail=never"`
	}
	tests := []struct {
		name     string
		register func()
		want     []string
	}{
		{"output", output[badLevel], []string{"badLevel", "Name", `"some"`, "minimal, standard or full"}},
		{"inside", output[deepBad], []string{"badLevel", "Name"}},
		{"number", output[*number], []string{"number", "Size", "excerpt", "int"}},
		{"short", output[short], []string{"short", "Name", `"1"`}},
		{"bare", output[bare], []string{"bare", "Name", "detail"}},
		{"typo", output[typo], []string{"typo", "Name", "detial", "write detail"}},
		{"numeral", output[numeral], []string{"numeral", "Name", "json.Number"}},
		{"embedded", output[around], []string{"around", "ID", "ticketRef", `"never"`}},
		{"input", input[badLevel], []string{"badLevel", "Name", `"some"`}},
		{"input number", input[number], []string{"number", "Size", "excerpt"}},
		{"input typo", input[typo], []string{"typo", "Name", "write detail"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				text := fmt.Sprint(recover())
				for _, part := range tt.want {
					if !strings.Contains(text, part) {
						t.Errorf("panic %q lacks %q", text, part)
					}
				}
			}()
			tt.register()
			t.Error("no panic")
		})
	}
	input[ticketRef]() // has no effect there
	output[struct {
		Limit int `cash:"min=1,advanced"`
	}]() // nor have the words for arguments here
}

func output[T any]() {
	registry.Func("f", "Does it.", func(context.Context, struct{}) (v T, err error) { return v, nil })
}

func input[T any]() {
	registry.Func("f", "Does it.", func(context.Context, T) (string, error) { return "", nil })
}

// The types below trim themselves.

type selfish struct{ Name, Body string }

func (s selfish) Detail(level registry.Detail) any {
	if level == registry.Minimal {
		return s.Name
	}
	s.Body = "cut"
	return s // of its own type
}

type byPointer struct{ Name string }

func (p *byPointer) Detail(registry.Detail) any { return &ticketRef{ID: p.Name} }

type toTags struct{}

func (toTags) Detail(registry.Detail) any { return ticket{ID: "T"} }

type nothing struct{}

func (nothing) Detail(registry.Detail) any { return nil }

type both struct{}

func (both) Detail(level registry.Detail) any { return level }
func (both) MarshalJSON() ([]byte, error)     { return []byte(`"marshalled"`), nil }

type endless struct{ N int }

func (e endless) Detail(registry.Detail) any { return []any{endless{e.N + 1}, endless{e.N + 2}} }

type page []int

func (p page) Detail(registry.Detail) any { return p[:1] }

func TestDetailer(t *testing.T) {
	tests := []struct {
		name                    string
		v                       any
		minimal, standard, full string
	}{
		{"value", selfish{"n", "b"}, `"n"`, `{"Name":"n","Body":"cut"}`, `{"Name":"n","Body":"b"}`},
		{"pointer", &selfish{"n", "b"}, `"n"`, `{"Name":"n","Body":"cut"}`, `{"Name":"n","Body":"b"}`},
		{"nil pointer inside", []*selfish{nil}, `[null]`, `[null]`, `[null]`},
		{"method of the pointer", byPointer{"n"}, `{"id":"n"}`, `{"id":"n"}`, `{"Name":"n"}`},
		{"pointer to it", &byPointer{"n"}, `{"id":"n"}`, `{"id":"n"}`, `{"Name":"n"}`},
		{"in a list", []byPointer{{"n"}}, `[{"id":"n"}]`, `[{"id":"n"}]`, `[{"Name":"n"}]`},
		{"in a field", struct{ A any }{byPointer{"n"}}, `{"A":{"id":"n"}}`, `{"A":{"id":"n"}}`, `{"A":{"Name":"n"}}`},
		{"tags after it", toTags{}, `{"id":"T","title":""}`, `{"id":"T","title":"","status":""}`, `{}`},
		{"nil", nothing{}, `null`, `null`, `{}`},
		{"marshaler too", both{}, `"minimal"`, `"standard"`, `"marshalled"`},
		{"list", page{1, 2}, `[1]`, `[1]`, `[1,2]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for level, want := range map[registry.Detail]string{
				registry.Minimal: tt.minimal, registry.Standard: tt.standard, registry.Full: tt.full, "": tt.full,
			} {
				if got := callAt(t, level, tt.v).Text(); got != want {
					t.Errorf("%q: %s, want %s", level, got, want)
				}
			}
		})
	}
	if got, err := registry.Trimmed(endless{}, registry.Minimal); err == nil {
		t.Errorf("a Detailer without end: %d bytes", len(got))
	}
}

type matches struct {
	Items []int `json:"items"`
	total int
}

func (m matches) Count() int { return m.total }

type pointerCount struct{ N int }

func (p *pointerCount) Count() int { return p.N }

type countedList []int

func (l countedList) Count() int { return 99 }

type marshalledList []int

func (marshalledList) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }

type marshalledAsList struct{}

func (marshalledAsList) MarshalJSON() ([]byte, error) { return []byte(`[1, "a]"]`), nil }

func TestF9Count(t *testing.T) {
	var nilMatches *matches
	for _, tt := range []struct {
		name string
		v    any
		want int // negative is none
	}{
		{"counter", matches{[]int{1}, 7}, 7},
		{"counter of zero", matches{}, 0},
		{"counter that does not know", matches{total: -1}, -1},
		{"pointer", &matches{total: 3}, 3},
		{"method of the pointer", pointerCount{5}, 5},
		{"list that counts", countedList{1}, 99},
		{"list", []string{"a", "b"}, 2},
		{"nil list", []string(nil), 0},
		{"array", [3]int{}, 3},
		{"pointer to a list", &[]int{1}, 1},
		{"any", []any{[]any{}}, 1},
		{"list that is none", marshalledList{1, 2}, -1},
		{"list by a method", marshalledAsList{}, 2},
		{"bytes", []byte("abc"), -1},
		{"nil bytes", []byte(nil), -1},
		{"map", map[string]int{"a": 1}, -1},
		{"nil map", map[string]int(nil), -1},
		{"struct", ticket{}, -1},
		{"number", 5, -1},
		{"counter inside", []*matches{nilMatches}, 1},
		{"raw list", json.RawMessage(` [1, [2, 3], "]"] `), 3},
		{"empty raw list", json.RawMessage(`[]`), 0},
		{"raw object", json.RawMessage(`{"a":[1]}`), -1},
	} {
		for _, level := range levels {
			r := callAt(t, level, tt.v)
			if got := count(r); got != tt.want || !r.JSON {
				t.Errorf("%s at %s: %d, want %d (JSON %t: %s)", tt.name, level, got, tt.want, r.JSON, r.Text())
			}
		}
	}
}

func count(r *registry.Result) int {
	if r.Count == nil {
		return -1
	}
	return *r.Count
}

func TestResultJSON(t *testing.T) {
	for name, r := range map[string]*registry.Result{
		"text":         callAt(t, "", "5"),
		"named text":   callAt(t, "", quotedText("5")),
		"result":       callAt(t, "", registry.TextResult("5")),
		"raw list":     callAt(t, "", json.RawMessage(`[`)),
		"raw nonsense": callAt(t, registry.Minimal, json.RawMessage(`nonsense`)),
	} {
		if r.JSON || r.Count != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := callAt(t, registry.Minimal, json.RawMessage(`{"a": 1}`)); !r.JSON || r.Text() != `{"a": 1}` {
		t.Errorf("raw: %+v", r)
	}
	if r := callAt(t, registry.Minimal, marshalledText("5")); !r.JSON || r.Text() != `"m:5"` {
		t.Errorf("text with a method: %+v", r)
	}
}

// TestF20UnknownDetail holds that the error names the levels and not what was sent.
func TestF20UnknownDetail(t *testing.T) {
	for _, text := range []string{"FULL", "everything", "full\n", "minimal\x00"} {
		_, err := registry.ParseDetail(text)
		e := registry.AsError(err)
		if err == nil || e.Kind != registry.InvalidArguments || !e.NotRun || strings.Contains(e.Message+e.Hint, text) {
			t.Errorf("%q: %+v", text, err)
		}
		for _, level := range levels {
			if !strings.Contains(e.Message, string(level)) {
				t.Errorf("%q does not name %s", e.Message, level)
			}
		}
	}
	for _, level := range levels {
		if got, err := registry.ParseDetail(string(level)); err != nil || got != level {
			t.Errorf("%s: %s, %v", level, got, err)
		}
	}
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(registry.Func("f", "Does it.", func(context.Context, struct{}) (string, error) {
		t.Error("it ran")
		return "", nil
	}))
	res, err := registry.NewPipeline(reg, nil).Call(context.Background(), &registry.Request{Namespace: "n", Function: "f", Detail: "all"})
	if err == nil || registry.AsError(err).Kind != registry.InvalidArguments {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestDetailReachesMiddleware holds that middleware sees the level that counts.
func TestDetailReachesMiddleware(t *testing.T) {
	var seen []registry.Detail
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(registry.Func("f", "Does it.", func(context.Context, struct{}) (string, error) { return "", nil }))
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			seen = append(seen, c.Detail)
			return next(ctx, c)
		}
	}}})
	for _, level := range append(levels, "") {
		if _, err := p.Call(context.Background(), &registry.Request{Namespace: "n", Function: "f", Detail: level}); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(seen) != "[minimal standard full full]" {
		t.Error(seen)
	}
}

func TestF8Excerpt(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 5, ""},
		{"short", 5, "short"},
		{"longer", 5, "lon…"},
		{"two words", 5, "two…"},
		{"two words", 9, "two words"},
		{"two words more", 10, "two words…"},
		{"two  words", 6, "two…"},
		{"a verylongword", 10, "a verylon…"},
		{"日本語の文章", 4, "日本語…"},
		{"e\u0301e\u0301e\u0301e\u0301", 4, "e\u0301…"},
		{"x" + strings.Repeat("\u0301", 100), 10, "…"},
		{"ab👩‍👩‍👧cdef", 5, "ab…"},
		{"🇳🇴🇳🇴🇳🇴", 4, "🇳🇴…"},
		{"👍🏽👍🏽👍🏽", 4, "👍🏽…"},
		{strings.Repeat("\u1100\u1161\u11a8", 3), 6, "\u1100\u1161\u11a8…"},
		{"\xff\xff\xff\xff\xff\xff", 4, "\xff\xff\xff…"},
		{"abc", 2, "…"},
		{"éé", 2, "éé"},
	} {
		if got := registry.Excerpt(tt.text, tt.most); got != tt.want {
			t.Errorf("%q to %d: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("two words e\u0301 🇳🇴🇳🇴", 5)
	f.Add("\xffabc\r\n", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 2 + int(uint(most)%100)
		got := registry.Excerpt(text, most)
		if len(got) > len(text) || utf8.RuneCountInString(got) > most {
			t.Errorf("%q to %d: %q", text, most, got)
		}
		if got == text {
			return
		}
		kept, marked := strings.CutSuffix(got, "…")
		rest, prefix := strings.CutPrefix(text, kept)
		if !marked || !prefix || utf8.RuneCountInString(text) <= most {
			t.Fatalf("%q to %d: %q", text, most, got)
		}
		if r, _ := utf8.DecodeRuneInString(rest); kept != "" && unicode.Is(unicode.M, r) {
			t.Errorf("%q is cut before %q", kept, r)
		}
	})
}

func ExampleDetail() {
	type Note struct {
		ID    int    `json:"id" cash:"detail=minimal"`
		Title string `json:"title" cash:"detail=minimal"`
		Body  string `json:"body" cash:"excerpt=24"` // standard, as any field without a level beside such
		Log   string `json:"log" cash:"detail=full"`
	}
	reg := registry.New(nil)
	reg.Namespace("notes", "Notes.").Add(registry.Func("list", "List notes.", func(context.Context, struct{}) ([]Note, error) {
		return []Note{{7, "Milk", "Buy two litres of milk on the way home.", "created, edited"}}, nil
	}))
	p := registry.NewPipeline(reg, nil)
	for _, level := range []registry.Detail{registry.Minimal, registry.Standard, registry.Full} {
		res, err := p.Call(context.Background(), &registry.Request{Namespace: "notes", Function: "list", Detail: level})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(*res.Count, res.Text())
	}
	// Output:
	// 1 [{"id":7,"title":"Milk"}]
	// 1 [{"id":7,"title":"Milk","body":"Buy two litres of milk…"}]
	// 1 [{"id":7,"title":"Milk","body":"Buy two litres of milk on the way home.","log":"created, edited"}]
}
