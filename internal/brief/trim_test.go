package brief_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/brief"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

const (
	words   = "The printer in the hall has been on fire since Monday. "
	depth   = 500
	ofWords = " (1100 characters)"
)

// TestF8Trim holds what the levels make of values.
func TestF8Trim(t *testing.T) {
	long := strings.Repeat(words, 20)
	for _, q := range []struct {
		name, data        string
		standard, minimal string // empty is unchanged
		omitted           string
	}{
		{"elements", `[{"id":1,"title":"a","body":"b"},{"id":2,"title":"c","user":{"id":3}}]`,
			"", `[{"id":1,"title":"a"},{"id":2,"title":"c"}]`, `[].body [].user`},
		{"elements in an object", `{"total":2,"note":"all","issues":[{"number":1.50,"state":"open","closed":false,"comments_count":3,"body":"b"}],"next_cursor":"x"}`,
			"", `{"total":2,"note":"all","issues":[{"number":1.50,"state":"open","closed":false,"comments_count":3}],"next_cursor":"x"}`, `issues[].body`},
		{"elements in lists", `[[{"id":"a","x":1}],[{"id":"b","x":2}]]`, "", `[[{"id":"a"}],[{"id":"b"}]]`, `[][].x`},
		{"elements below an element", `[{"page":1,"items":[{"id":1,"x":2}]}]`, "", `[{"page":1,"items":[{"id":1}]}]`, `[].items[].x`},
		{"an object", `{"id":1,"title":"a","body":"b","user":{"id":3,"bio":"c"}}`, "", "", ""},
		{"no id", `[{"status":"open","sum":1.0},{"state":"x","text":"y"}]`, "", "", ""},
		{"an id without a value", `[{"id":null,"x":1},{"id":"","x":1},{"name":{"first":"a"},"x":1},{"title":true,"x":1}]`, "", "", ""},
		{"a status that is no scalar", `[{"id":1,"status":{"phase":"x"},"count":[1]}]`, "", `[{"id":1}]`, `[].status [].count`},
		{"marks", `[{"id":1,"x":1,"nextCursor":{"a":[1]},"error":{"message":"m"},"warnings":["w"],"isTruncated":true,"has_more":false,"page_token":"t","omitted":["y"]}]`,
			"", `[{"id":1,"nextCursor":{"a":[1]},"error":{"message":"m"},"warnings":["w"],"isTruncated":true,"has_more":false,"page_token":"t","omitted":["y"]}]`, `[].x`},
		{"lists of marks", `{"errors":[{"id":1,"x":2}],"warnings":[{"name":"a","text":"` + long + `"}]}`, "", "", ""},
		{"numbers", `[{"id":12345678901234567890,"name":"a","x":1},{"id":1E+2,"x":-0}]`, "", `[{"id":12345678901234567890,"name":"a"},{"id":1E+2}]`, `[].x`},
		{"white space", " [ {\"id\" : 1 , \"x\" : [ 1 , 2 ] } ]\n", "", `[{"id":1}]`, `[].x`},
		{"scalars in a list", `[1,"a",null,[true],{"id":1,"x":2}]`, "", `[1,"a",null,[true],{"id":1}]`, `[].x`},
		{"long text", `{"a":"` + long + `","n":1}`,
			`{"a":"` + long[:strings.LastIndex(long[:482], " ")] + "…" + ofWords + `","n":1}`,
			`{"a":"` + long[:strings.LastIndex(long[:142], " ")] + "…" + ofWords + `","n":1}`, ""},
		{"a text of 500", `{"a":"` + long[:500] + `","n":1}`, "", `{"a":"` + long[:strings.LastIndex(long[:143], " ")] + "… (500 characters)" + `","n":1}`, ""},
		{"a text of 160", `{"a":"` + strings.Repeat("ä", 160) + `","n":1}`, "", "", ""},
		{"a text alone", `{"result":"` + long + `"}`, "", "", ""},
		{"a text in a list", `["` + long[:160] + `","b"]`, "", "", ""},
		{"long ids", `{"id":"` + long + `","url":"` + long + `","next_cursor":"` + long + `"}`, "", "", ""},
		{"strange names", `[{"id":1,"a.b":1,"":2,"\u0061":3,"x\u0000y":4,"ключ":5,"a b":6}]`, "", `[{"id":1}]`, `[]["a.b"] [][""] [].a []["xy"] []["ключ"] []["a b"]`},
		{"empty", `{}`, "", "", ""},
		{"empty list", ` [ ] `, "", "", ""},
		{"text", `"` + long + `"`, "", "", ""},
		{"number", `7`, "", "", ""},
		{"null", `null`, "", "", ""},
	} {
		t.Run(q.name, func(t *testing.T) {
			got, omitted := brief.Trim([]byte(q.data), brief.Standard)
			if want := or(q.standard, q.data); string(got) != want || omitted != nil {
				t.Errorf("standard: %s (%q), want %s", got, omitted, want)
			}
			got, omitted = brief.Trim([]byte(q.data), brief.Minimal)
			if want := or(q.minimal, q.data); string(got) != want || strings.Join(omitted, " ") != q.omitted {
				t.Errorf("minimal:\n%s (%q), want\n%s (%s)", got, omitted, want, q.omitted)
			}
			check(t, []byte(q.data))
		})
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// TestF8Names holds which members a trimmed element keeps.
func TestF8Names(t *testing.T) {
	for names, want := range map[string][2]bool{ // shown, identifies
		"id ID _id @id $id order_id orderId OrderID order-id ORDER_ID a.id id_ uuid GUID name fullName full_name displayName title number key sha slug path uri url login username filename sku label subject":               {true, true},
		"state status Status phase order_status count total open_issues_count totalCount closed done open active enabled completed":                                                                                          {true, false},
		"cursor nextCursor next_page next prev previous hasMore has_more more error errors lastError error_message warnings isTruncated truncated truncation omitted incomplete_results partial deprecated page_token token": {true, false},
		"": {false, false},
		"paid valid void grid ids identity username2 names titles html_url git_url error2 nextstep statement keyboard keys number_of counts totals tokens token_hash closed_at is_open path_to incompleteness truncations": {false, false},
		"body text description user created_at _ __ - ıd i\u0307d ID\u200b \u017ftate": {false, false},
	} {
		for _, name := range append(strings.Fields(names), strings.Repeat("_", 1<<20)+strings.Fields(names + " x")[0]+"z") {
			if strings.HasSuffix(name, "z") {
				brief.Keeps(name) // must end
				continue
			}
			if shown, identifies := brief.Keeps(name); shown != want[0] || identifies != want[1] {
				t.Errorf("%q: shown %t, identifies %t", name, shown, identifies)
			}
		}
	}
}

// TestOmittedBounded holds that a hostile value makes no long list of what it lost, and no long paths.
func TestOmittedBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"id":1`)
	for i := range 100_000 {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	fmt.Fprintf(&b, `},{"id":2,%q:1,"m1":2}]`, strings.Repeat("long \u202e", 100_000))
	_, omitted := brief.Trim([]byte(b.String()), brief.Minimal)
	if len(omitted) != 21 || omitted[0] != "[].m0" || omitted[19] != "[].m19" || omitted[20] != "…" {
		t.Errorf("%d omitted: %.300q", len(omitted), omitted)
	}
	_, omitted = brief.Trim([]byte(`[{"id":2,"`+strings.Repeat("long \u202e", 1000)+`":1}]`), brief.Minimal)
	if len(omitted) != 1 || utf8.RuneCountInString(omitted[0]) > 70 || strings.Contains(omitted[0], "\u202e") {
		t.Errorf("omitted %q", omitted)
	}
}

// TestDeep holds that depth costs neither the stack nor more than some passes over the value.
func TestDeep(t *testing.T) {
	inner := `{"id":1,"x":"` + strings.Repeat("y", 1<<20) + `"}`
	for level, trimmed := range map[int]bool{9: true, 11: false, 200: false} {
		data := []byte(strings.Repeat(`[{"a":`, level) + "[" + inner + "]" + strings.Repeat(`}]`, level))
		got, omitted := brief.Trim(data, brief.Minimal)
		if (len(got) < 1000) != trimmed || (len(omitted) == 1) != trimmed {
			t.Errorf("%d levels: %d bytes, omitted %q", level, len(got), omitted)
		}
		check(t, data)
	}
}

// TestF8Random holds the promises of Trim for JSON that looks like results.
func TestF8Random(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	trimmed, cut := 0, 0
	for range 1500 {
		data := []byte(value(r, 6))
		if err := strictjson.CheckDepth(data, depth); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		check(t, data)
		if t.Failed() {
			t.Fatalf("of %s", data)
		}
		minimal, omitted := brief.Trim(data, brief.Minimal)
		trimmed += min(len(omitted), 1)
		cut += min(bytes.Count(minimal, []byte(" characters)")), 1)
	}
	if trimmed < 100 || cut < 100 {
		t.Errorf("%d values are trimmed, %d cut", trimmed, cut)
	}
}

// value returns a random value of at most some levels.
func value(r *rand.Rand, levels int) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	space := pick([]string{"", "", "", " ", "\n\t"})
	if levels == 0 || r.IntN(3) == 0 {
		texts := []string{"word ", `\"`, `\n`, `\t`, "ä", "👩\u200d👩\u200d👧", "e\u0301\u0301", `\u2028`, "\u2028", `\u0001`, `\/`, "… (7 characters)", `\ud83d\ude00`, "🇩🇪"}
		text := func() string {
			var b strings.Builder
			for most := []int{0, 3, 170, 600}[r.IntN(4)]; b.Len() < most; {
				b.WriteString(strings.Repeat(pick(texts), 1+r.IntN(40)))
			}
			return `"` + b.String() + `"`
		}
		return space + pick([]string{"1", "-0", "12345678901234567890.10", "1E+2", "true", "false", "null", `""`, text(), text(), text()}) + space
	}
	names := []string{
		"id", "order_id", "fullName", "title", "state", "status", "open", "total", "comments_count", "next_cursor", "error", "warnings",
		"body", "items", "user", "list", "omitted", "count", "a.b", "", "x", "y",
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var parts []string
	object := r.IntN(2) == 0
	for i := range r.IntN(6) {
		part := value(r, levels-1)
		if object {
			part = space + `"` + names[i] + `"` + space + ":" + part
		}
		parts = append(parts, part)
	}
	if object {
		return space + "{" + strings.Join(parts, ",") + space + "}"
	}
	return "[" + space + strings.Join(parts, ",") + "]" + space
}

// FuzzTrim holds the promises of Trim for all JSON.
func FuzzTrim(f *testing.F) {
	long, _ := json.Marshal(strings.Repeat("Zwölf Boxkämpfer jagen \u2028 Viktor \t\"quer\" 👩‍👩‍👧 \u0001", 30))
	for _, s := range []string{
		`{"issues":[{"number":7,"title":` + string(long) + `,"body":` + string(long) + `}],"next":"x"}`,
		`[{"id":1,"x":[{"name":"a","y":1}],"error":{"a":[1]}},{"x":[{"name":"a","y":1}]}]`,
		"[" + string(long) + `,"\u00e9\ud83d\ude00` + strings.Repeat(`\/\t`, 200) + `"]`,
		`{"a":"` + strings.Repeat(`\t`, 501) + `","b":1}`,
		`[[[{"id":"a","id2":{}}]]]`, `{"a b":[{"id":1,"":2}]}`, ` 1e5`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strictjson.CheckDepth(data, depth) == nil {
			check(t, data)
		}
	})
}

// check holds that standard has all members, that minimal has some of them, that full is larger, that what is left out
// is named, and that a second trim changes nothing.
func check(t *testing.T, data []byte) {
	t.Helper()
	standard, none := brief.Trim(data, brief.Standard)
	minimal, omitted := brief.Trim(data, brief.Minimal)
	c := checker{T: t, omitted: omitted}
	c.compare("", data, standard, false)
	c.compare("", data, minimal, true)
	if full := len(strictjson.Compact(data)); none != nil || len(strictjson.Compact(standard)) > full || len(strictjson.Compact(minimal)) > len(strictjson.Compact(standard)) {
		t.Errorf("sizes %d, %d, %d; standard leaves out %q", full, len(standard), len(minimal), none)
	}
	for _, again := range []struct {
		data  []byte
		level brief.Level
	}{{standard, brief.Standard}, {minimal, brief.Minimal}, {minimal, brief.Standard}} {
		if err := strictjson.CheckDepth(again.data, depth); err != nil {
			t.Fatalf("%v in %.300s", err, again.data)
		}
		if twice, more := brief.Trim(again.data, again.level); !bytes.Equal(twice, again.data) || more != nil {
			t.Errorf("twice: %.300s, once: %.300s, omitted %q", twice, again.data, more)
		}
	}
}

type checker struct {
	*testing.T
	omitted []string
}

func (c *checker) compare(path string, full, short []byte, fewer bool) {
	c.Helper()
	full, short = strictjson.Trim(full), strictjson.Trim(short)
	switch kind := strictjson.KindOf(full); {
	case bytes.Equal(full, short):
	case kind != strictjson.KindOf(short):
		c.Errorf("%s: %.100s became %.100s", path, full, short)
	case kind == strictjson.String:
		c.text(path, strictjson.Text(full), strictjson.Text(short))
	case kind == strictjson.Array:
		var elements [][]byte
		for _, e := range strictjson.Elements(short) {
			elements = append(elements, e)
		}
		for i, e := range strictjson.Elements(full) {
			if i >= len(elements) {
				c.Fatalf("%s: %d elements", path, len(elements))
			}
			c.compare(path+"[]", e, elements[i], fewer)
		}
	case kind == strictjson.Object:
		c.object(path, full, short, fewer)
	default:
		c.Errorf("%s: %.100s became %.100s", path, full, short)
	}
}

// object compares members: those of short are in the order of full.
func (c *checker) object(path string, full, short []byte, fewer bool) {
	var names []string
	var values [][]byte
	for name, value := range strictjson.Members(short) {
		names, values = append(names, name), append(values, value)
	}
	for name, value := range strictjson.Members(full) {
		at := below(path, name)
		if len(names) > 0 && names[0] == name {
			c.compare(at, value, values[0], fewer)
			names, values = names[1:], values[1:]
			continue
		}
		if !fewer {
			c.Errorf("%s is left out", at)
		}
		if !strings.Contains(at, "?") && !slices.Contains(c.omitted, at) && !slices.Contains(c.omitted, "…") {
			c.Errorf("%s is not in %q", at, c.omitted)
		}
	}
	if len(names) > 0 {
		c.Errorf("%s has new members %q", path, names)
	}
}

// below returns the path of a member. It has a question mark if a name may be written in another form.
func below(path, name string) string {
	switch {
	case name == "a.b" || name == "":
		return path + `["` + name + `"]`
	case len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "":
		return path + "?"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

func (c *checker) text(path, full, short string) {
	c.Helper()
	beginning, mark, ok := strings.Cut(short, "… (")
	for ok && strings.Contains(mark, "… (") { // of the text itself
		more, rest, _ := strings.Cut(mark, "… (")
		beginning, mark = beginning+"… ("+more, rest
	}
	if !ok || !strings.HasPrefix(full, beginning) || mark != fmt.Sprintf("%d characters)", utf8.RuneCountInString(full)) {
		c.Errorf("%s: %.100q became %.600q", path, full, short)
	}
}
