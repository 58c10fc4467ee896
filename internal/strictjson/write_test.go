package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func TestMarshal(t *testing.T) {
	v := map[string]any{"a<b>&c": json.RawMessage("{ \"z\" : 1.0,\n\"a\":2 }"), "b": "line\u2028"}
	const want = `{"a<b>&c":{"z":1.0,"a":2},"b":"line\u2028"}`
	if data, err := strictjson.Marshal(v); err != nil || string(data) != want {
		t.Errorf("got %s, %v", data, err)
	}
	const file = "{\n  \"a\": [\n    \"<\"\n  ]\n}\n"
	if data, err := strictjson.MarshalFile(map[string]any{"a": []string{"<"}}); err != nil || string(data) != file {
		t.Errorf("got %s, %v", data, err)
	}
	for _, none := range []any{make(chan int), json.RawMessage("{")} {
		if data, err := strictjson.Marshal(none); err == nil || data != nil {
			t.Errorf("%v has a JSON form: %s", none, data)
		}
		if data, err := strictjson.MarshalFile(none); err == nil || data != nil {
			t.Errorf("%v has a JSON form: %s", none, data)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustMarshal does not panic")
		}
	}()
	strictjson.MustMarshal(make(chan int))
}

func TestCompact(t *testing.T) {
	for data, want := range map[string]string{
		" { \"a b\" : [ 1.0 , \"\\u003c <\" ] }\n": `{"a b":[1.0,"\u003c <"]}`, "1": "1", "": "", "{": "", "1 2": "",
	} {
		if got := strictjson.Compact([]byte(data)); string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func TestBuilder(t *testing.T) {
	var b strictjson.Builder
	if got := b.Object(); string(got) != "{}" || b.Len() != 0 {
		t.Errorf("got %s", got)
	}
	b.Add(`a"<`, []byte("1"))
	b.AddText("none", "")
	b.AddText("b", "<")
	b.AddRaw([]byte(`"\u0063"`), []byte("[ ]"))
	const want = `{"a\"<":1,"b":"<","\u0063":[ ]}`
	if n, got := b.Len(), b.Object(); string(got) != want || n != len(want)-1 {
		t.Errorf("got %s, %d", got, n)
	}
}
