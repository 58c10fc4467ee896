package view_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

// TestW33_Views holds what each selector shows of small artifacts.
func TestW33_Views(t *testing.T) {
	const poem = "one\ntwo\nthree\nfour\nfive"
	const issues = `{"total": 2, "next": {"page": 2}, "items": [
 {"id": 9007199254740993, "title": "B\u00fcg <b>", "user": {"name": "Ann"}},
 {"title": "Two", "id": 1.50, "labels": []}]}`
	const array = `[{"id":1,"name":"x"},{"id":"2"},7]`
	const table = "id;name\r\n1;Ann\r\n\r\n2;\"B;\"\"ob\"\r\n3;Cy;more\r\n4"
	for _, test := range []struct{ data, media, selector, view, text, data2, next string }{
		{poem, "", `{"type":"head"}`, "characters 0-23 of 23", poem, ``, ``},
		{poem, "", `{"type":"head","chars":5}`, "characters 0-5 of 23", "one\nt", ``, `{"type":"head","start":5,"chars":5}`},
		{poem, "", `{"type":"head","start":19,"chars":1e1}`, "characters 19-23 of 23", "five", ``, ``},
		{"日本語", "", `{"type":"head","start":1.0,"chars":1}`, "characters 1-2 of 3", "本", ``, `{"type":"head","start":2,"chars":1}`},
		{poem, "", `{"type":"tail","chars":6}`, "characters 17-23 of 23", "r\nfive", ``, `{"type":"tail","end":17,"chars":6}`},
		{poem, "", `{"type":"tail","end":3}`, "characters 0-3 of 23", "one", ``, ``},
		{poem, "", `{"type":"tail","end":300,"chars":4}`, "characters 19-23 of 23", "five", ``, `{"type":"tail","end":19,"chars":4}`},
		{"", "", `{"type":"head"}`, "characters 0-0 of 0", "", ``, ``},
		{"", "", `{"type":"tail"}`, "characters 0-0 of 0", "", ``, ``},
		{"", "", `{"type":"lines"}`, "lines 0-0 of 0", "", ``, ``},
		{"", "", `{"type":"bytes"}`, "bytes 0-0 of 0, in base64", "", ``, ``},
		{poem, "", `{"type":"lines","start":1,"end":3}`, "lines 1-3 of 5", "two\nthree\n", ``, `{"type":"lines","start":3,"end":5}`},
		{poem, "", `{"type":"lines","start":4}`, "lines 4-5 of 5", "five", ``, ``},
		{poem + "\n", "", `{"type":"lines","start":4,"end":99}`, "lines 4-5 of 5", "five\n", ``, ``},
		{poem, "", `{"type":"search","query":"T"}`, "matches 0-2 of 2 in lines", "1: two\n2: three\n", ``, ``},
		{poem, "", `{"type":"search","query":"T","start":1}`, "matches 1-2 of 2 in lines", "2: three\n", ``, ``},
		{poem, "", `{"type":"search","query":"^f","regexp":true}`, "matches 0-2 of 2 in lines", "3: four\n4: five\n", ``, ``},
		{poem, "", `{"type":"search","query":"^f"}`, "matches 0-0 of 0 in lines", "", ``, ``},
		{poem, "", `{"type":"search","query":"o(ne|ur)$","regexp":true,"context":1}`, "matches 0-2 of 2 in lines", "0: one\n1- two\n2- three\n3: four\n4- five\n", ``, ``},
		{poem, "", `{"type":"search","query":"one","context":20}`, "matches 0-1 of 1 in lines", "0: one\n1- two\n2- three\n3- four\n4- five\n", ``, ``},
		{"a\nb\nc\nd\ne\na\n", "", `{"type":"search","query":"a","context":1}`, "matches 0-2 of 2 in lines", "0: a\n1- b\n--\n4- e\n5: a\n", ``, ``},
		{"STRASSE\nΣΊΣΥΦΟΣ\n", "", `{"type":"search","query":"σίσυφος"}`, "matches 0-1 of 1 in lines", "1: ΣΊΣΥΦΟΣ\n", ``, ``},
		{issues, "", `{"type":"rows"}`, "rows 0-2 of 2 of $.items", "",
			`[{"id":9007199254740993,"title":"B\u00fcg <b>","user":{"name":"Ann"}},{"title":"Two","id":1.50,"labels":[]}]`, ``},
		{issues, "", `{"type":"rows","start":0,"end":1,"columns":["title","id"]}`, "rows 0-1 of 2 of $.items", "",
			`[{"title":"B\u00fcg <b>","id":9007199254740993}]`, `{"type":"rows","start":1,"end":2,"path":"$.items","columns":["title","id"]}`},
		{issues, "", `{"type":"rows","start":1,"path":"$.items","columns":["no","id","id"]}`, "rows 1-2 of 2 of $.items", "", `[{"id":1.50}]`, ``},
		{array, "", `{"type":"rows","columns":["id"]}`, "rows 0-3 of 3", "", `[{"id":1},{"id":"2"},7]`, ``},
		{issues, "", `{"type":"json_keys"}`, "keys 0-3 of 3", "",
			`{"total":"number","next":"object with 1 key","items":"array of 2 objects"}`, ``},
		{issues, "", `{"type":"json_keys","path":"$.items"}`, "keys 0-4 of 4 of $.items in 2 elements", "",
			`{"id":"number","title":"string","user":"object, in 1 of 2","labels":"array, in 1 of 2"}`, ``},
		{issues, "", `{"type":"json_keys","keys":["next","total"]}`, "keys 0-2 of 2", "", `{"next":{"page":2},"total":2}`, ``},
		{issues, "", `{"type":"json_keys","keys":["name"],"path":"$.items[0].user"}`, "keys 0-1 of 1 of $.items[0].user", "", `{"name":"Ann"}`, ``},
		{array, "", `{"type":"json_keys"}`, "keys 0-2 of 2 in 3 elements", "", `{"id":"string or number, in 2 of 3","name":"string, in 1 of 3"}`, ``},
		{array, "", `{"type":"json_keys","keys":["name"]}`, "elements 0-3 of 3", "", `[{"name":"x"},{},7]`, ``},
		{`{"a":1,"b":2,"a":3}`, "", `{"type":"json_keys"}`, "keys 0-3 of 3", "", `{"a":"number","b":"number","a":"number"}`, ``},
		{`{"a":1,"b":2,"a":3}`, "", `{"type":"json_keys","keys":["a"]}`, "keys 0-1 of 1", "", `{"a":3}`, ``},
		{issues, "", `{"type":"path","path":"$.items[*].id"}`, "nodes 0-2 of 2", "", `[9007199254740993,1.50]`, ``},
		{issues, "", `{"type":"path","path":"$.items[*].id","start":1}`, "nodes 1-2 of 2", "", `[1.50]`, ``},
		{array, "", `{"type":"search","query":"2"}`, "matches 0-1 of 1 in keys and values", "$[1].id: 2\n", ``, ``},
		{array, "", `{"type":"search","query":"NAME"}`, "matches 0-1 of 1 in keys and values", "$[0].name (key)\n", ``, ``},
		{array, "", `{"type":"search","query":"[7x]","regexp":true}`, "matches 0-2 of 2 in keys and values", "$[0].name: x\n$[2]: 7\n", ``, ``},
		{table, "text/csv", `{"type":"rows"}`, "rows 0-4 of 4", "",
			`{"columns":["id","name"],"rows":[["1","Ann"],["2","B;\"ob"],["3","Cy","more"],["4"]]}`, ``},
		{table, "text/plain", `{"type":"rows","start":1,"end":2,"columns":["name"]}`, "rows 1-2 of 4", "",
			`{"columns":["name"],"rows":[["B;\"ob"]]}`, `{"type":"rows","start":2,"end":3,"columns":["name"]}`},
		{"a\tb\n1\t2\n", "text/tab-separated-values", `{"type":"rows"}`, "rows 0-1 of 1", "", `{"columns":["a","b"],"rows":[["1","2"]]}`, ``},
		{"name\nAnn\n", "text/csv; charset=utf-8", `{"type":"rows"}`, "rows 0-1 of 1", "", `{"columns":["name"],"rows":[["Ann"]]}`, ``},
		{"a,b\n\"1,2\nx,y\n", "text/csv", `{"type":"rows"}`, "rows 0-2 of 2", "", `{"columns":["a","b"],"rows":[["\"1","2"],["x","y"]]}`, ``},
		{"\x00\x01\x02", "image/png", `{"type":"bytes","start":1}`, "bytes 1-3 of 3, in base64", "AQI=", ``, ``},
		{"\x00\x01\x02", "image/png", `{"type":"bytes","end":1}`, "bytes 0-1 of 3, in base64", "AA==", ``, `{"type":"bytes","start":1,"end":2}`},
	} {
		p := look(t, test.data, test.media, test.selector)
		for _, part := range []struct{ name, got, want string }{
			{"view", p.View, test.view}, {"text", p.Text, test.text}, {"data", string(p.Data), test.data2}, {"next", string(p.Next), test.next},
		} {
			if part.got != part.want {
				t.Errorf("%s of %.40q: %s\n got %s\nwant %s", test.selector, test.data, part.name, part.got, part.want)
			}
		}
	}
}

// TestW33_WrongSelectors holds that what cannot be shown is an error that says
// what to do, with nothing of the artifact in it.
func TestW33_WrongSelectors(t *testing.T) {
	const text, doc = "secret one\nsecret two\n", `{"secret":[1,2],"other":"secret"}`
	for _, test := range []struct{ data, selector, want string }{
		{text, ``, "a selector is a JSON object"},
		{text, `null`, "a selector is a JSON object"},
		{text, `"head"`, "a selector is a JSON object"},
		{text, `[]`, "the types are head, tail, lines, rows, json_keys, path, search, bytes"},
		{text, `{"type":"head"`, "a selector is a JSON object"},
		{text, `{"type":"head","type":"tail"}`, "a selector is a JSON object"},
		{text, `{"type":"head"} {}`, "a selector is a JSON object"},
		{text, strings.Repeat("[", 1500), "a selector is a JSON object"},
		{text, `{"type":"head","x":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`, "a selector is a JSON object"},
		{text, `{"type":"path","path":"` + strings.Repeat("$", 3000) + `"}`, "too long"},
		{text, `{}`, "the type of a selector is one of head"},
		{text, `{"type":7}`, "the type of a selector is one of head"},
		{text, `{"type":"Head"}`, "the type of a selector is one of head"},
		{text, `{"type":"rm -rf"}`, "the type of a selector is one of head"},
		{text, `{"type":"head","end":5}`, `head has no member "end": it has start, chars`},
		{text, `{"type":"lines","begin\u001b[31m\n":5}`, `lines has no member "begin": it has start, end`},
		{text, `{"type":"head","chars":"5"}`, "chars must be a whole number, at least 1"},
		{text, `{"type":"head","chars":0}`, "chars must be a whole number, at least 1"},
		{text, `{"type":"head","chars":null}`, "chars must be"},
		{text, `{"type":"head","start":-1}`, "start must be a whole number, at least 0"},
		{text, `{"type":"head","start":1.5}`, "start must be"},
		{text, `{"type":"head","start":1e400}`, "start must be"},
		{text, `{"type":"head","start":9007199254740992}`, "start must be"},
		{text, `{"type":"head","start":NaN}`, "a selector is a JSON object"},
		{text, `{"type":"head","start":22}`, "start is beyond the end: there are 22 characters"},
		{text, `{"type":"lines","start":2}`, "start is beyond the end: there are 2 lines"},
		{text, `{"type":"lines","start":1,"end":1}`, "end must be greater than start"},
		{text, `{"type":"lines","end":0}`, "end must be greater than start"},
		{text, `{"type":"tail","end":0}`, "nothing stands before end"},
		{text, `{"type":"bytes","start":100}`, "start is beyond the end: there are 22 bytes"},
		{"", `{"type":"bytes","start":1}`, "start is beyond the end: there are 0 bytes"},
		{text, `{"type":"rows"}`, `{"type":"lines","start":0,"end":50}`},
		{text, `{"type":"rows","path":"$.a"}`, `{"type":"lines","start":0,"end":50}`},
		{text, `{"type":"json_keys"}`, "not JSON"},
		{text, `{"type":"path","path":"$"}`, "not JSON"},
		{"", `{"type":"path","path":"$"}`, "not JSON"},
		{`{"a":1} trailing`, `{"type":"path","path":"$"}`, "not JSON"},
		{doc, `{"type":"path"}`, "path needs a path"},
		{doc, `{"type":"path","path":7}`, "path must be a string"},
		{doc, `{"type":"path","path":"secret"}`, "path begins with $"},
		{doc, `{"type":"path","path":"$.secret.","start":0}`, "after 9 characters expected a name"},
		{doc, `{"type":"path","path":"$.secret","start":1}`, "there are 1 nodes"},
		{doc, `{"type":"rows","path":"$.other"}`, "no array"},
		{doc, `{"type":"rows","path":"$.none"}`, "nothing stands at path"},
		{doc, `{"type":"rows","path":"$.*"}`, "more than one value"},
		{doc, `{"type":"rows","path":"$..*..*["}`, "not a JSON path"},
		{doc, `{"type":"rows","start":2}`, "there are 2 rows"},
		{doc, `{"type":"rows","columns":"id"}`, "columns must be a list of strings"},
		{doc, `{"type":"rows","columns":[]}`, "columns must be a list of strings, and not empty"},
		{doc, `{"type":"rows","columns":[1]}`, "columns must be a list of strings"},
		{`{"a":{}}`, `{"type":"rows"}`, "there is no array"},
		{`7`, `{"type":"rows"}`, "there is no array"},
		{doc, `{"type":"json_keys","keys":["none"]}`, "none of these keys"},
		{doc, `{"type":"json_keys","start":2}`, "there are 2 keys"},
		{doc, `{"type":"json_keys","path":"$.other"}`, "neither an object nor an array"},
		{text, `{"type":"search"}`, "search needs a query"},
		{text, `{"type":"search","query":""}`, "search needs a query"},
		{text, `{"type":"search","query":["a"]}`, "query must be a string"},
		{text, `{"type":"search","query":"a","regexp":1}`, "regexp is true or false"},
		{text, `{"type":"search","query":"(","regexp":true}`, "not a regular expression"},
		{text, `{"type":"search","query":"((a{100}){10}){10}","regexp":true}`, "not a regular expression"},
		{text, `{"type":"search","query":"` + strings.Repeat("x", 501) + `"}`, "query is too long"},
		{text, `{"type":"search","query":"a","context":21}`, "context is at most 20"},
		{text, `{"type":"search","query":"secret","start":2}`, "there are 2 matches"},
		{"id,secret\n1,2\n", `{"type":"rows","columns":["none"]}`, "not all of these columns"},
		{"\x89PNG\r\n\x1a\n\x00\x00", `{"type":"head"}`, `{"type":"bytes","start":0,"end":10}`},
		{"\x89PNG\r\n\x1a\n\x00\x00", `{"type":"lines"}`, "not text"},
		{"\x89PNG\r\n\x1a\n\x00\x00", `{"type":"search","query":"P"}`, "not text"},
		{strings.Repeat("\xff\xfe", 100), `{"type":"tail"}`, "not text"},
	} {
		message := refused(t, test.data, "text/plain", test.selector)
		if !strings.Contains(message, test.want) {
			t.Errorf("%.80s: %s\nwant %s in it", test.selector, message, test.want)
		}
		if strings.Contains(message, "secret") {
			t.Errorf("%.80s: the message tells what the artifact or the selector holds: %s", test.selector, message)
		}
	}
}

// TestHeadOfAnImage holds that a view of an image as text says that it is one.
func TestHeadOfAnImage(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x00"
	for _, test := range []struct{ data, media, want string }{
		{png, "image/png", "this artifact is an image (image/png, 10 bytes), not text"},
		{png, "", "this artifact is an image (image/png, 10 bytes), not text"},
		{png, "application/octet-stream", "an image (image/png, 10 bytes)"},
		{"RIFF\x00\x00\x00\x00WEBPVP8 ", "", "an image (image/webp, 16 bytes)"},
		{"not really", "image/jpeg", "an image (image/jpeg, 10 bytes)"},
		{"\x00\x01", "audio/wav", "this artifact is audio (audio/wav, 2 bytes), not text"},
		{"\x00\x01", "text/plain", "this artifact is data of 2 bytes, not text"},
	} {
		for _, kind := range []string{"head", "tail", "lines"} {
			message := refused(t, test.data, test.media, `{"type":"`+kind+`"}`)
			if !strings.Contains(message, test.want) || !strings.Contains(message, `{"type":"bytes","start":0,"end":`) {
				t.Errorf("%s of %q as %s: %s", kind, test.data, test.media, message)
			}
		}
	}
	if page, err := view.Look(t.Context(), []byte("<svg/>"), "image/svg+xml", json.RawMessage(`{"type":"head"}`), nil); err != nil || page.Text != "<svg/>" {
		t.Errorf("head of an image that is text: %+v, %v", page, err)
	}
}

// TestW33_LargeThingsAreCut holds that one thing larger than a page is cut, with
// a note whose selector works.
func TestW33_LargeThingsAreCut(t *testing.T) {
	long := strings.Repeat("<é\U0001F600 word ", 200_000)
	quoted, _ := json.Marshal(long)
	row := fmt.Sprintf(`{"id":1,"body":%s,"list":[%s1],"last":"seen"}`, quoted, strings.Repeat(`{"k":[1,2]},`, 10_000))
	deep := strings.Repeat(`{"a":[`, 3000) + strings.Repeat(`]}`, 3000)
	for _, test := range []struct{ name, data, selector, want string }{
		{"a line", long, `{"type":"lines"}`, "…\n"},
		{"a second line", "first\n" + long + "\nlast", `{"type":"lines","start":1}`, "…\n"},
		{"a row", `[0,` + row + `,2]`, `{"type":"rows","start":1}`, `"last":"seen"`},
		{"a key", `{"k":` + row + `}`, `{"type":"json_keys","keys":["k"]}`, `"last":"seen"`},
		{"a node", `{"k":` + row + `}`, `{"type":"path","path":"$.k"}`, `"last":"seen"`},
		{"a string", `[` + string(quoted) + `]`, `{"type":"path","path":"$[0]"}`, `…"]`},
		{"a deep value", `[` + deep + `]`, `{"type":"rows"}`, `object with 1 key`},
		{"a number", `[` + strings.Repeat("7", 1<<20) + `]`, `{"type":"rows"}`, `7…"]`},
		{"a record", "a,b\n" + long + ",x\n1,2\n", `{"type":"rows"}`, `…","x"]`},
		{"a key that is long itself", `{` + string(quoted) + `:1}`, `{"type":"path","path":"$"}`, `…":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, limit := range []int{1000, 8000} {
				p := lookWithin(t, test.data, "text/csv", test.selector, limit)
				if shown := p.Text + string(p.Data); !strings.Contains(shown, test.want) {
					t.Errorf("%d characters: %.1500s\nwant %s in it", limit, shown, test.want)
				}
				at := strings.Index(p.Note, `{"type":"head"`)
				if at < 0 {
					t.Fatalf("the note does not say how to see more: %q", p.Note)
				}
				selector := p.Note[at : at+strings.Index(p.Note[at:], "}")+1]
				if inside := lookWithin(t, test.data, "text/csv", selector, limit); inside.Text == "" {
					t.Errorf("%s shows nothing", selector)
				}
			}
		})
	}
}

// TestW33_CutRowsGoOnInTheText holds that the note on a row leads to all of it.
func TestW33_CutRowsGoOnInTheText(t *testing.T) {
	row := `{"é":"` + strings.Repeat("x", 20_000) + `"}`
	data := `{"items":["日本", ` + row + `, 3]}`
	p := look(t, data, "application/json", `{"type":"rows","start":1,"end":2}`)
	var got strings.Builder
	selector := p.Note[strings.Index(p.Note, "{") : strings.Index(p.Note, "}")+1]
	for got.Len() < len(row) {
		page := look(t, data, "application/json", selector)
		got.WriteString(page.Text)
		selector = string(page.Next)
	}
	if !strings.HasPrefix(got.String(), row) {
		t.Errorf("%s leads to %.100s", p.Note, got.String())
	}
	if rest := look(t, data, "application/json", string(p.Next)); string(rest.Data) != "[3]" {
		t.Errorf("the next page is %s", rest.Data)
	}
}

// TestW33_ViewsAreClean holds that nothing invisible leaves a view, and that what
// is visible is spelled as it was.
func TestW33_ViewsAreClean(t *testing.T) {
	const dirty = "A\x1b[31m\u200bB\u202e\ufeff\U000e0041C"
	p := look(t, `{"k\u200bey":"\u001b[31mred\u200b \"q\"","\u00e9":"\u00e9\ud83d\ude00","bad":"a\ud800b","n":[1.0]}`, "", `{"type":"path","path":"$"}`)
	if want := `[{"key":"red \"q\"","\u00e9":"\u00e9\ud83d\ude00","bad":"ab","n":[1.0]}]`; string(p.Data) != want {
		t.Errorf("got %s, want %s", p.Data, want)
	}
	for data, selector := range map[string]string{
		dirty:                         `{"type":"head"}`,
		dirty + " ":                   `{"type":"tail"}`,
		dirty + "\n":                  `{"type":"lines"}`,
		dirty + "\n\n":                `{"type":"search","query":"c"}`,
		`["` + "A\u200bBC" + `"]`:     `{"type":"search","query":"c"}`,
		"a,b\n" + dirty + ",2\n":      `{"type":"rows"}`,
		`{"` + "A\u202eBC" + `":[1]}`: `{"type":"json_keys"}`,
	} {
		p := look(t, data, "", selector)
		if shown := p.Text + string(p.Data); !strings.Contains(shown, "ABC") {
			t.Errorf("%s of %q: %s", selector, data, shown)
		}
	}
	if p := look(t, "caf\xe9 au lait", "", `{"type":"head"}`); p.Text != "caf au lait" || !strings.Contains(p.Note, "not UTF-8") {
		t.Errorf("text %q, note %q", p.Text, p.Note)
	}
}

// TestW33_LimitsHoldTheirMeaning holds that a limit that is too small counts as
// the smallest, and none as the default.
func TestW33_LimitsHoldTheirMeaning(t *testing.T) {
	data := strings.Repeat("0123456789\n", 10_000)
	for limit, least := range map[int]int{-1: 6500, 0: 6500, 1: 300, 1000: 300, 100_000: 90_000} {
		p, err := view.Look(t.Context(), []byte(data), "", json.RawMessage(`{"type":"lines"}`), &view.Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if limit <= 0 {
			limit = view.DefaultLimit
		}
		checkPage(t, p, limit)
		if len(p.Text) < least {
			t.Errorf("limit %d: %d bytes of text, want at least %d", limit, len(p.Text), least)
		}
	}
}

// TestW33_CostlyCharactersFit holds that pages are bounded where every character
// is spelled as an escape, in names, paths and queries too.
func TestW33_CostlyCharactersFit(t *testing.T) {
	for n := 1; n < 300; n += 7 {
		name := strings.Repeat("<", n)
		row := fmt.Sprintf(`{"%s":"%s","\u200b%s":[1]}`, name, strings.Repeat("&>", 5*n), name)
		list := "[" + strings.Repeat(row+",", 30) + row + "]"
		doc := fmt.Sprintf(`{"%s":{"%s\u202e":%s}}`, name[n/2:], name[n/2:], list)
		for _, data := range []string{doc, list} {
			for _, selector := range []string{
				`{"type":"rows","start":0,"end":2}`, `{"type":"rows","columns":["` + name + `"]}`, `{"type":"json_keys"}`, `{"type":"search","query":"` + name + `"}`,
				`{"type":"path","path":"$[*]['` + name + `']"}`, `{"type":"rows","path":"$['` + name[n/2:] + `']['` + name[n/2:] + `\u202e']"}`,
				`{"type":"json_keys","keys":["` + name[n/2:] + `"]}`, `{"type":"head"}`, `{"type":"tail"}`, `{"type":"lines"}`,
			} {
				for range 3 {
					p, err := view.Look(t.Context(), []byte(data), "", json.RawMessage(selector), &view.Options{Limit: 1000})
					if err != nil {
						checkMessage(t, err.Error())
						break
					}
					checkPage(t, p, 1000)
					if selector = string(p.Next); p.Next == nil {
						break
					}
				}
			}
		}
		for _, v := range view.NewSurvey([]byte(doc), "").Suggest() {
			lookWithin(t, doc, "", string(v.Selector), 1000)
		}
	}
}
