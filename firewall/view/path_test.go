package view_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

// store is the example of RFC 9535, section 1.5.
const store = `{"store":{"book":[
 {"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
 {"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
 {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
 {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8","price":22.99}],
 "bicycle":{"color":"red","price":399}}}`

// TestW33_Path holds JSON paths to the examples of RFC 9535 and to what follows
// from it.
func TestW33_Path(t *testing.T) {
	const letters = `["a","b","c","d","e","f","g"]`
	const compared = `{"obj":{"x":"y"},"arr":[2,3]}`
	const filtered = `{"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],"o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}`
	const odd = `{"o":{"j j":{"k.k":3}},"'":{"@":2},"\u0061b":1,"é":4,"\ud83d\ude00":5,"a\"b":6,"a'b":7}`
	for _, test := range []struct{ doc, path, want string }{
		{store, `$.store.book[*].author`, `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{store, `$..author`, `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{store, `$.store..price`, `[8.95,12.99,8.99,22.99,399]`},
		{store, `$..book[2].title`, `["Moby Dick"]`},
		{store, `$..book[-1].title`, `["The Lord of the Rings"]`},
		{store, `$..book[0,1].price`, `[8.95,12.99]`},
		{store, `$..book[:2].price`, `[8.95,12.99]`},
		{store, `$..book[?@.isbn].price`, `[8.99,22.99]`},
		{store, `$..book[?@.price<10].title`, `["Sayings of the Century","Moby Dick"]`},
		{store, `$..book[?(@.price < 10 && @.category=='fiction')].title`, `["Moby Dick"]`},
		{store, `$.store.book[?@.price==$.store.book[0].price].title`, `["Sayings of the Century"]`},
		{store, `$.store.bicycle['color', "price"]`, `["red",399]`},
		{odd, `$.o['j j']['k.k']`, `[3]`},
		{odd, `$.o["j j"]["k.k"]`, `[3]`},
		{odd, `$["'"]["@"]`, `[2]`},
		{odd, `$['\'']['\u0040']`, `[2]`},
		{odd, `$.ab`, `[1]`},
		{odd, `$.é`, `[4]`},
		{odd, `$['\uD83D\uDE00']`, `[5]`},
		{odd, `$.😀`, `[5]`},
		{odd, `$["a\"b",'a\'b']`, `[6,7]`},
		{letters, `$[1]`, `["b"]`},
		{letters, `$[-2]`, `["f"]`},
		{letters, `$[9]`, `[]`},
		{letters, `$[-9]`, `[]`},
		{letters, `$[1:3]`, `["b","c"]`},
		{letters, `$[5:]`, `["f","g"]`},
		{letters, `$[1:5:2]`, `["b","d"]`},
		{letters, `$[5:1:-2]`, `["f","d"]`},
		{letters, `$[::-1]`, `["g","f","e","d","c","b","a"]`},
		{letters, `$[::-4]`, `["g","c"]`},
		{letters, `$[-2::-3]`, `["f","c"]`},
		{letters, `$[:2:-1]`, `["g","f","e","d"]`},
		{letters, `$[-3:-1]`, `["e","f"]`},
		{letters, `$[3:1]`, `[]`},
		{letters, `$[1:5:0]`, `[]`},
		{letters, `$[9007199254740991:]`, `[]`},
		{letters, `$[-9007199254740991::9007199254740991]`, `["a"]`},
		{letters, `$[0:2,1:3,0,*]`, `["a","b","b","c","a","a","b","c","d","e","f","g"]`},
		{letters, "$ [ 0 , 1 : 3 : 1 ]", `["a","b","c"]`},
		{letters, "$\n[\t0\r]", `["a"]`},
		{letters, `$['a']`, `[]`},
		{letters, `$.*[0]`, `[]`},
		{letters, `$[?@>'e']`, `["f","g"]`},
		{filtered, `$.a[?@.b == 'kilo']`, `[{"b":"kilo"}]`},
		{filtered, `$.a[?@>3.5]`, `[5,4,6]`},
		{filtered, `$.a[?@.b].b`, `["j","k",{},"kilo"]`},
		{filtered, `$[?@.*].p`, `[1]`},
		{filtered, `$[?@[?@.b]][0]`, `[3]`},
		{filtered, `$.o[?@<3, ?@<3]`, `[1,2,1,2]`},
		{filtered, `$.a[?@<2 || @.b == "k"]`, `[1,{"b":"k"}]`},
		{filtered, `$.a[?@.b && @.b != "k" && !(@.b=="j")]`, `[{"b":{}},{"b":"kilo"}]`},
		{filtered, `$.a[?!@.b && @ > 4]`, `[5,6]`},
		{filtered, `$.a[?match(@.b, "[jk]")].b`, `["j","k"]`},
		{filtered, `$.a[?search(@.b, '[jk]')].b`, `["j","k","kilo"]`},
		{filtered, `$.a[?search(@.b, '(')]`, `[]`},
		{filtered, `$.o[?@>1 && @<4]`, `[2,3]`},
		{filtered, `$.o[?@.u || @.x]`, `[{"u":6}]`},
		{filtered, `$.a[?@.b == $.x].b`, `[]`},
		{filtered, `$.a[?@ == @].b`, `["j","k",{},"kilo"]`},
		{filtered, `$[?length(@)==10][0]`, `[3]`},
		{filtered, `$[?count(@.*)>9][1]`, `[5]`},
		{filtered, `$[?count(@['p','q'])==2].r`, `[3]`},
		{filtered, `$[?value(@..u)==6].s`, `[5]`},
		{filtered, `$[?length(@) == 1]`, `["f"]`},
		{filtered, `$.a[?length(@.b)==length("kilo")].b`, `["kilo"]`},
		{compared, `$[?$.absent1 == $.absent2]`, `[{"x":"y"},[2,3]]`},
		{compared, `$[?$.absent == 'g']`, `[]`},
		{compared, `$[?$.absent1 <= $.absent2].x`, `["y"]`},
		{compared, `$[?1 <= 2].x`, `["y"]`},
		{compared, `$[?1 > 2]`, `[]`},
		{compared, `$[?13 == '13']`, `[]`},
		{compared, `$[?'a' <= 'b'].x`, `["y"]`},
		{compared, `$[?$.obj == $.arr]`, `[]`},
		{compared, `$[?$.obj != $.arr].x`, `["y"]`},
		{compared, `$[?$.arr == $.arr].x`, `["y"]`},
		{compared, `$[?$.obj <= 17]`, `[]`},
		{compared, `$[?$.arr >= $.arr].x`, `["y"]`},
		{compared, `$[?true <= true].x`, `["y"]`},
		{compared, `$[?true > true]`, `[]`},
		{compared, `$[?1.0e0 == 1].x`, `["y"]`},
		{compared, `$[?-0 == 0].x`, `["y"]`},
		{`[9007199254740993,9007199254740992]`, `$[?@==9007199254740993]`, `[9007199254740993]`},
		{`[{"a":{"x":1,"y":[1.0]}},{"a":{"y":[1],"x":2}}]`, `$[?@.a==$[1].a].a.x`, `[2]`},
		{`[{"a":{"x":1,"y":[1.0]},"b":{"y":[1],"x":1}},{"a":[1],"b":[1,2]},{"a":[],"b":[]}]`, `$[?@.a==@.b].a`, `[{"x":1,"y":[1.0]},[]]`},
		{`{"o":[{"j":1,"k":2},{}],"a":[5,3,[{"j":4},{"k":6}]]}`, `$..j`, `[1,4]`},
		{`{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}`, `$..[0]`, `[5,{"j":4}]`},
		{`{"o":{"j":1,"k":2},"a":[5,3]}`, `$..*`, `[{"j":1,"k":2},[5,3],1,2,5,3]`},
		{`{"a":null,"b":[null],"c":[{}]}`, `$.a`, `[null]`},
		{`{"a":null,"b":[null],"c":[{}]}`, `$.a[0]`, `[]`},
		{`{"a":null,"b":[null],"c":[{}]}`, `$.b[?@==null]`, `[null]`},
		{`{"a":null,"b":[null],"c":[{}]}`, `$.c[?@.d==null]`, `[]`},
		{`{"a":1,"a":2}`, `$.a`, `[1,2]`},
		{`7`, `$`, `[7]`},
		{` "x" `, `$..*`, `[]`},
		{"\ufeff[1]", `$[0]`, `[1]`},
	} {
		selector, _ := json.Marshal(map[string]string{"type": "path", "path": test.path})
		if got := string(look(t, test.doc, "application/json", string(selector)).Data); got != test.want {
			t.Errorf("%s of %s\n got %s\nwant %s", test.path, test.doc, got, test.want)
		}
	}
}

func TestW33_PathsThatAreNone(t *testing.T) {
	for _, path := range []string{
		" ", "a", "$.", "$..", "$...a", "$a", "$.a ", " $.a", "$.1", "$.-", "$. a", "$[", "$[]", "$[a]", "$['a'", "$['a", "$['a\\x']", "$[01]", "$[-0]",
		"$[1:2:3:4]", "$[9007199254740992]", "$[1.0]", "$[1e2]", "$[,1]", "$[1,]", "$[1 2]", "$['\\uD800']", "$['\\uDC00\\uD800']", "$['\\u12']", "$['\n']",
		"$[?]", "$[?@.a==]", "$[?@.a=1]", "$[?@.a===1]", "$[?@.*==1]", "$[?@..a==1]", "$[?1]", "$[?'a']", "$[?true]", "$[?!1]", "$[?!@.a==1]",
		"$[?(@.a]", "$[?@.a)]", "$[?@.a &&]", "$[?@.a and @.b]", "$[?length(@.a)]", "$[?length(@.*)==1]", "$[?count(1)==1]", "$[?match(@.a)]",
		"$[?match(@.a,'a')==true]", "$[?foo(@.a)]", "$[?count(@.a)]", "$[?length (@.a)==1]", "$[?@.a==[1]]", "$[?@.a=={}]", "$[?@.a==01]", "$[?@.a==1.]",
		"$[?@.a==.5]", "$[?@.a=='a\"]", `$["\'"]`, "$.a.b.", "$.&", "$[\"\x01\"]", "$[?@.a==TRUE]", "$[?length(@.a,)==1]", "@.a",
		"$[?" + strings.Repeat("(", 1000), "$[?" + strings.Repeat("!(", 900), "$[?" + strings.Repeat("@[?", 600), "$[?" + strings.Repeat("length(", 250),
	} {
		selector, _ := json.Marshal(map[string]string{"type": "path", "path": path})
		if message := refused(t, `{"a":1}`, "application/json", string(selector)); !strings.Contains(message, "path") {
			t.Errorf("%q: %s", path, message)
		}
	}
}

// TestW33_HostilePathsEnd runs paths that take forever where nothing bounds them.
func TestW33_HostilePathsEnd(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 2000) + "1" + strings.Repeat("]}", 2000)
	wide := "[" + strings.Repeat(`{"a":[1,2,3]},`, 50_000) + "0]"
	buried := strings.Repeat(`{"a":[`, 1000) + wide + strings.Repeat("]}", 1000)
	text := `["` + strings.Repeat("a", 1<<20) + `!"]`
	for _, test := range []struct{ name, doc, path string }{
		{"descents in a deep document", deep, "$" + strings.Repeat("..*", 600)},
		{"descents in a wide document", wide, "$..*..*..*"},
		{"a wide document below a deep one", buried, "$..a..a"},
		{"wildcards side by side", wide, "$[" + strings.Repeat("*,", 800) + "*]..*"},
		{"many indexes", wide, "$[" + strings.Repeat("-1,", 600) + "0]"},
		{"filters in filters", wide, "$[?$[?$[?$[?@.b]]]]"},
		{"counting everything for each", wide, "$[?count($..*)==1]"},
		{"comparing everything with everything", buried, "$..[?@==$]"},
		{"expressions", text, `$[?search(@,"` + strings.Repeat("(a*)*", 20) + `$")]`},
		{"expressions from the document", `[` + strings.Repeat(`{"t":"x","p":"a{999}"},`, 20_000) + `0]`, `$[?match(@.t,@.p)]`},
		{"an expression that is too large", text, `$[?match(@,"(a{100}){10}{10}")]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			selector, _ := json.Marshal(map[string]string{"type": "path", "path": test.path})
			p, err := view.Look(context.Background(), []byte(test.doc), "application/json", selector, &view.Options{Limit: 16_000})
			var wrong *view.SelectorError
			if err == nil {
				checkPage(t, p, 16_000)
			} else if !errors.As(err, &wrong) {
				t.Error(err)
			} else {
				checkMessage(t, wrong.Message)
			}
		})
	}
}

// TestW33_AllThatIsReadIsWork holds that keys and blanks count, which a query for each element would read again and again.
func TestW33_AllThatIsReadIsWork(t *testing.T) {
	list, large := "["+strings.Repeat("1,", 20_000)+"1]", 1<<20
	for name, test := range map[string]struct{ doc, path string }{
		"a key in a descent":     {`{"` + strings.Repeat("k", large) + `":1,"a":` + list + `}`, "$.a[?!$..[0]]"},
		"blanks before a member": {`{` + strings.Repeat(" ", large) + `"x":1,"a":` + list + `}`, "$.a[?!$.x]"},
	} {
		selector, _ := json.Marshal(map[string]string{"type": "path", "path": test.path})
		_, err := view.Look(t.Context(), []byte(test.doc), "application/json", selector, nil)
		if wrong := new(view.SelectorError); !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "takes too long") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestW33_PathStopsWithItsCaller holds that work ends when nobody waits for it.
func TestW33_PathStopsWithItsCaller(t *testing.T) {
	doc := manyItems(4 << 20)
	for _, selector := range []string{
		`{"type":"path","path":"$..*..*"}`, `{"type":"search","query":"x"}`, `{"type":"rows"}`, `{"type":"path","path":"$..x"}`,
	} {
		ctx := &countdown{Context: context.Background(), left: 1}
		if _, err := view.Look(ctx, doc, "application/json", json.RawMessage(selector), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that of the context", selector, err)
		}
	}
}

// A countdown is a context that ends when it was asked left times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestW33_PathOfAPath holds that the paths that a search shows lead to what it
// found.
func TestW33_PathOfAPath(t *testing.T) {
	doc := `{"plain":{"b c":["needle"]},"it's":{"\u200b\u0000\"\\":"needle"},"\ud83d\ude00":{"é":["x",["needle"]]},"\u202e":[{"_1":"needle"}],"1a":"needle"}`
	page := look(t, doc, "application/json", `{"type":"search","query":"NEEDLE"}`)
	lines := strings.Split(strings.TrimSuffix(page.Text, "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d matches, want 5: %s", len(lines), page.Text)
	}
	for _, line := range lines {
		path, _, _ := strings.Cut(line, ": needle")
		selector, _ := json.Marshal(map[string]string{"type": "path", "path": path})
		if got := string(look(t, doc, "application/json", string(selector)).Data); got != `["needle"]` {
			t.Errorf("%s leads to %s", path, got)
		}
	}
}

// FuzzPath holds that any path on any document ends, in nodes that are JSON or in
// an error.
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"$..*", "$[?@.price<10 && !(@.a=='b' || count(@.*)>=2)]", "$['a\\u0041\\uD83D\\uDE00',\"b\"][-1:0:-2]", "$[?match(@.a,'[a-z].*') || length(value(@..b)) != -1.5e3]",
	} {
		f.Add(path, store)
		f.Add(path, `[{"a":"b","b":[1,2]},[3,[4]],null,"x"]`)
	}
	f.Fuzz(func(t *testing.T, path, doc string) {
		selector, _ := json.Marshal(map[string]string{"type": "path", "path": path})
		p, err := view.Look(t.Context(), []byte(doc), "application/json", selector, &view.Options{Limit: 4000})
		var wrong *view.SelectorError
		if errors.As(err, &wrong) {
			checkMessage(t, wrong.Message)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkPage(t, p, 4000)
		elements(t, p.Data)
	})
}
