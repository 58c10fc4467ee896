package schema_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func typed[T any](t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.ForType(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type (
	Base struct {
		ID     string `json:"id"`
		Hidden string `json:"shadowed"`
	}
	Tied struct {
		X string `json:"x"`
	}
	AlsoTied struct {
		X string `json:"x"`
	}
	embedding struct {
		Base
		*AlsoTied
		Tied
		Named    Base `json:"named"`
		Shadowed int  `json:"shadowed"`
		Ignored  int  `json:"-"`
		Default  bool `json:",omitempty"`
		private  int
		inner    `json:"inner"`
	}
	inner  struct{ Y bool }
	label  string
	number int16
	code   struct{ text string }
	any1   struct{ raw string }
	stamp  struct{ time.Time }
)

func (c *code) UnmarshalText(text []byte) error {
	if len(text) != 2 {
		return io.ErrUnexpectedEOF
	}
	c.text = string(text)
	return nil
}

func (a *any1) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return io.ErrUnexpectedEOF
	}
	if bytes.HasPrefix(data, []byte("tru")) {
		panic("no")
	}
	a.raw = string(data)
	return nil
}

// oddTags is made by hand, because linters object to its tags: a name of a dash,
// a name that encoding/json does not take, and an option without effect.
var oddTags = reflect.StructOf([]reflect.StructField{
	{Name: "Dash", Type: reflect.TypeFor[int](), Tag: `json:"-,"`},
	{Name: "BadName", Type: reflect.TypeFor[int](), Tag: `json:"a\"b"`},
	{Name: "S", Type: reflect.TypeFor[[]int](), Tag: `json:"s,string"`},
})

// TestForTypeJSON pins what is published.
func TestForTypeJSON(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"string", reflect.TypeFor[string](), `{"type":"string"}`},
		{"named kinds", reflect.TypeFor[map[label]number](), `{"type":"object","additionalProperties":{"type":"integer","minimum":-32768,"maximum":32767}}`},
		{"int", reflect.TypeFor[int](), `{"type":"integer"}`},
		{"uint64", reflect.TypeFor[uint64](), `{"type":"integer","minimum":0}`},
		{"uint8", reflect.TypeFor[uint8](), `{"type":"integer","minimum":0,"maximum":255}`},
		{"int32", reflect.TypeFor[int32](), `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`},
		{"float", reflect.TypeFor[float32](), `{"type":"number"}`},
		{"bool", reflect.TypeFor[bool](), `{"type":"boolean"}`},
		{"any", reflect.TypeFor[any](), `{}`},
		{"raw", reflect.TypeFor[json.RawMessage](), `{}`},
		{"json.Number", reflect.TypeFor[json.Number](), `{"type":"number"}`},
		{"slice", reflect.TypeFor[[]string](), `{"type":"array","items":{"type":"string"}}`},
		{"array", reflect.TypeFor[[2]bool](), `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"boolean"}}`},
		{"bytes", reflect.TypeFor[[]byte](), `{"type":"string","contentEncoding":"base64"}`},
		{"time", reflect.TypeFor[time.Time](), `{"type":"string","format":"date-time"}`},
		{"duration", reflect.TypeFor[time.Duration](), `{"type":["string","integer"],"description":"A duration such as 90s, 5m or 1h30m; a number is in nanoseconds."}`},
		{"big.Int", reflect.TypeFor[big.Int](), `{"type":"integer"}`},
		{"big.Rat", reflect.TypeFor[*big.Rat](), `{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+|/[0-9]*[1-9][0-9]*)?$","maxLength":1000}`},
		{"level", reflect.TypeFor[slog.Level](), `{"type":"string","description":"DEBUG, INFO, WARN or ERROR, with an offset if needed, such as INFO+2."}`},
		{"recursive", reflect.TypeFor[cyclic](), `{"type":"object","properties":{"Next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["Next"],"additionalProperties":false}`},
		{"recursive map", reflect.TypeFor[cyclicMap](), `{"type":"object","additionalProperties":{"$ref":"#"}}`},
		{"recursive list", reflect.TypeFor[struct{ A, B cyclicList }](), `{"type":"object","properties":{"A":{"$ref":"#/$defs/cyclicList"},"B":{"$ref":"#/$defs/cyclicList"}},` +
			`"required":["A","B"],"additionalProperties":false,"$defs":{"cyclicList":{"type":"array","items":{"$ref":"#/$defs/cyclicList"}}}}`},
		{"recursive through others", reflect.TypeFor[struct {
			T hub[int] `json:"t" jsonschema:"A tree." cash:"advanced"`
			S *spoke   `json:"s"`
		}](), `{"type":"object","properties":{"t":{"$ref":"#/$defs/hub","description":"A tree."},` +
			`"s":{"anyOf":[{"$ref":"#/$defs/spoke"},{"type":"null"}]}},"required":["t","s"],"additionalProperties":false,"$defs":{` +
			`"spoke":{"type":"object","properties":{"Back":{"type":"array","items":{"$ref":"#/$defs/hub"}}},"required":["Back"],"additionalProperties":false},` +
			`"hub":{"type":"object","properties":{"Out":{"$ref":"#/$defs/spoke"}},"required":["Out"],"additionalProperties":false}}}`},
		{"TextUnmarshaler", reflect.TypeFor[code](), `{"type":"string"}`},
		{"Unmarshaler", reflect.TypeFor[any1](), `{}`},
		{"promoted Unmarshaler", reflect.TypeFor[stamp](), `{}`},
		{"pointer at the top", reflect.TypeFor[**int](), `{"type":"integer"}`},
		{"pointers", reflect.TypeFor[struct {
			A *string  `json:"a"`
			B *[]*int8 `json:"b,omitempty"`
			C *any     `json:"c,omitzero"`
		}](), `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["array","null"],"items":{"type":["integer","null"],"minimum":-128,"maximum":127}},"c":{}},"required":["a"],"additionalProperties":false}`},
		{"empty struct", reflect.TypeFor[struct{}](), `{"type":"object","additionalProperties":false}`},
		{"embedding", reflect.TypeFor[embedding](), `{"type":"object","properties":{"id":{"type":"string"},` +
			`"named":{"type":"object","properties":{"id":{"type":"string"},"shadowed":{"type":"string"}},"required":["id","shadowed"],"additionalProperties":false},` +
			`"shadowed":{"type":"integer"},"Default":{"type":"boolean"},` +
			`"inner":{"type":"object","properties":{"Y":{"type":"boolean"}},"required":["Y"],"additionalProperties":false}},` +
			`"required":["id","named","shadowed","inner"],"additionalProperties":false}`},
		{"quoted", reflect.TypeFor[struct {
			N int64    `json:"n,string"`
			F *float64 `json:"f,string"`
			B bool     `json:"b,string"`
		}](), `{"type":"object","properties":{"n":{"type":"string","pattern":"^-?[0-9]+$"},"f":{"type":["string","null"]},"b":{"type":"string","enum":["true","false"]}},"required":["n","f","b"],"additionalProperties":false}`},
		{"narrower", reflect.TypeFor[struct {
			A uint8 `json:"a,omitempty" jsonschema:"At least 1 & < 9." cash:"min=1,max=8"`
		}](), `{"type":"object","properties":{"a":{"type":"integer","description":"At least 1 & < 9.","minimum":1,"maximum":8}},"additionalProperties":false}`},
		{"odd json tags", oddTags, `{"type":"object","properties":{"-":{"type":"integer"},"BadName":{"type":"integer"},"s":{"type":"array","items":{"type":"integer"}}},"required":["-","BadName","s"],"additionalProperties":false}`},
		{"tags", reflect.TypeFor[struct {
			P string   `json:"p,omitempty" jsonschema:"How fast, if at all." cash:"enum=low|it's,default=low,example=it's"`
			N int      `json:"n,omitempty" cash:"min=-3,max=9007199254740993,default=0"`
			C string   `json:"c" cash:"advanced,pattern='^[A-Z]{2,4}''$',minLength=2,maxLength=5"`
			L []string `json:"l,omitempty" cash:"minItems=1,enum=a|b,default='[\"a\",\"b\"]'"`
			D string   `json:"d" cash:"format=date"`
			O *string  `json:"o" cash:"enum=x"`
		}](), `{"type":"object","properties":{"p":{"type":"string","description":"How fast, if at all.","enum":["low","it's"],"default":"low","examples":["it's"]},` +
			`"n":{"type":"integer","default":0,"minimum":-3,"maximum":9007199254740993},` +
			`"c":{"type":"string","pattern":"^[A-Z]{2,4}'$","minLength":2,"maxLength":5},` +
			`"l":{"type":"array","default":["a","b"],"minItems":1,"items":{"type":"string","enum":["a","b"]}},` +
			`"d":{"type":"string","format":"date"},"o":{"type":["string","null"],"enum":["x",null]}},"required":["c","d","o"],"additionalProperties":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.ForType(test.typ)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(s.JSON()); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if _, err := schema.Parse(s.JSON()); err != nil {
				t.Errorf("its own Parse refuses it: %v", err)
			}
			again, _ := schema.ForType(test.typ)
			if again != s {
				t.Error("not cached")
			}
		})
	}
}

type (
	cyclic     struct{ Next *cyclic }
	cyclicMap  map[string]cyclicMap
	cyclicList []cyclicList
	cyclicSelf *cyclicSelf
	hiddenBase struct{ X int }
	hub[T any] struct{ Out spoke }
	spoke      struct{ Back []hub[int] }
)

func TestForTypeRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"nil", nil, "no Go type given"},
		{"null of null", reflect.TypeFor[sql.Null[sql.NullString]](), "null would mean two values; use sql.NullString"},
		{"chan", reflect.TypeFor[struct{ C chan int }](), "field C: type chan int has no JSON form"},
		{"func", reflect.TypeFor[func()](), "type func() has no JSON form"},
		{"complex", reflect.TypeFor[[]complex64](), "type complex64 has no JSON form"},
		{"map keys", reflect.TypeFor[struct{ In struct{ M map[bool]string } }](), "field In: field M: type map[bool]string: JSON has no keys of type bool; take strings, integers,"},
		{"interface", reflect.TypeFor[struct{ R io.Reader }](), "field R: interface type io.Reader has methods"},
		{"cyclic pointer", reflect.TypeFor[cyclicSelf](), "is a pointer to itself"},
		{"quoted string", reflect.TypeFor[struct {
			S string `json:"s,string"`
		}](), `field S: json:",string" works for numbers and booleans only`},
		{"embedded pointer", reflect.TypeFor[struct{ *hiddenBase }](), "field hiddenBase: encoding/json cannot set"},

		{"unknown word", reflect.TypeFor[struct {
			A int `cash:"minimum=1"`
		}](), `field A: cash tag "minimum=1": unknown word "minimum"; write cash:"min=..."`},
		{"repeated word", reflect.TypeFor[struct {
			A int `cash:"min=1,min=2"`
		}](), `field A: cash tag "min=1,min=2": min stands twice`},
		{"no value", reflect.TypeFor[struct {
			A int `cash:"min"`
		}](), `min has no value; write one after min=`},
		{"value too many", reflect.TypeFor[struct {
			A int `cash:"advanced=true"`
		}](), `advanced takes no value`},
		{"empty word", reflect.TypeFor[struct {
			A int `cash:"min=1,"`
		}](), `empty word; remove the comma too many`},
		{"open quote", reflect.TypeFor[struct {
			A string `cash:"pattern='a"`
		}](), `pattern: the closing single quote is missing`},
		{"text after the quote", reflect.TypeFor[struct {
			A string `cash:"pattern='a'b,advanced"`
		}](), `pattern: a comma must follow the closing quote`},
		{"min of a string", reflect.TypeFor[struct {
			A string `cash:"min=1"`
		}](), `min: it is for numbers, and not for string; write minLength=...`},
		{"minLength of a number", reflect.TypeFor[struct {
			A int `cash:"minLength=1"`
		}](), `minLength: it is for strings, and not for integer; write min=...`},
		{"minLength of bytes", reflect.TypeFor[struct {
			A []byte `cash:"minLength=1"`
		}](), `minLength: it is for strings, and not for bytes`},
		{"pattern of a bool", reflect.TypeFor[struct {
			A bool `cash:"pattern=a"`
		}](), `pattern: it is for strings, and not for boolean`},
		{"format of time", reflect.TypeFor[struct {
			A time.Time `cash:"format=time"`
		}](), `format: a time.Time has a date and a time already; write format=date`},
		{"enum of bool", reflect.TypeFor[struct {
			A bool `cash:"enum=true"`
		}](), `enum: it is for strings and numbers, and not for boolean`},
		{"enum of any", reflect.TypeFor[struct {
			A any `cash:"enum=1"`
		}](), `enum: it is for strings and numbers, and not for any value`},
		{"enum twice", reflect.TypeFor[struct {
			A string `cash:"enum=a|b|a"`
		}](), `enum: it has "a" twice`},
		{"enum empty", reflect.TypeFor[struct {
			A string `cash:"enum=a||b"`
		}](), `enum: it has an empty value`},
		{"enum number", reflect.TypeFor[struct {
			A int `cash:"enum=1|x"`
		}](), `enum: "x" is not a number`},
		{"minItems of a string", reflect.TypeFor[struct {
			A string `cash:"minItems=1"`
		}](), `minItems: it is for slices, and not for string`},
		{"minItems of an array", reflect.TypeFor[struct {
			A [3]int `cash:"minItems=1"`
		}](), `minItems: it is for slices, and not for array`},
		{"words of slices of slices", reflect.TypeFor[struct {
			A [][]int `cash:"min=1"`
		}](), `min: it is for numbers, and not for array`},
		{"bad number", reflect.TypeFor[struct {
			A int `cash:"min=0x1"`
		}](), `min: "0x1" is not a number`},
		{"bad count", reflect.TypeFor[struct {
			A string `cash:"maxLength=-1"`
		}](), `maxLength: "-1" is not a count`},
		{"bad pattern", reflect.TypeFor[struct {
			A string `cash:"pattern=(?!a)"`
		}](), `pattern: package regexp does not have`},
		{"large pattern", reflect.TypeFor[struct {
			A string `cash:"pattern='(abcdefgh){1000}'"`
		}](), `is too large`},
		{"empty format", reflect.TypeFor[struct {
			A string `cash:"format="`
		}](), `format: "" is not known; write one of date,`},
		{"min above max", reflect.TypeFor[struct {
			A float64 `cash:"min=2.5,max=2.4"`
		}](), `min is above max`},
		{"minLength above maxLength", reflect.TypeFor[struct {
			A []string `cash:"minLength=2,maxLength=1"`
		}](), `minLength is above maxLength`},
		{"default of a required field", reflect.TypeFor[struct {
			A string `json:"a" cash:"default=x"`
		}](), `a field without omitempty is required, so its default is never used`},
		{"default out of bounds", reflect.TypeFor[struct {
			A int `json:"a,omitempty" cash:"min=1,default=0"`
		}](), `field A: cash tag "min=1,default=0": default breaks the field's own rules: must be at least 1`},
		{"default of the wrong type", reflect.TypeFor[struct {
			A int `json:"a,omitempty" cash:"default='\"1\"'"`
		}](), `must be an integer, not a string`},
		{"default no JSON", reflect.TypeFor[struct {
			A []int `json:"a,omitempty" cash:"default='[1'"`
		}](), `is not JSON`},
		{"default of a struct", reflect.TypeFor[struct {
			A struct{ B int } `json:"a,omitzero" cash:"default='{\"b\":1}'"`
		}](), "default breaks the field's own rules: b: unknown parameter, did you mean `B`?"},
		{"default out of range", reflect.TypeFor[struct {
			A int8 `json:"a,omitempty" cash:"default=128"`
		}](), `must be an integer from -128 to 127`},
		{"example outside the enum", reflect.TypeFor[struct {
			A string `cash:"enum=a|b,example=c"`
		}](), `example breaks the field's own rules: must be one of a, b`},
		{"example that does not decode", reflect.TypeFor[struct {
			A netip.Addr `cash:"example=1.2.3"`
		}](), `example breaks the field's own rules: is not a valid Addr`},
		{"in an embedded struct", reflect.TypeFor[struct{ BadTag }](), `field BadTag.A: cash tag "x=1": unknown word "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.ForType(test.typ)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

type tree struct {
	Wait time.Duration `json:"wait,omitempty"`
	Kids []tree        `json:"kids,omitempty"`
	Next *tree         `json:"next,omitempty"`
}

type BadTag struct {
	A int `cash:"x=1"`
}

// everything has a field of every sort that decodes.
type everything struct {
	S     string                    `json:"s,omitempty" cash:"minLength=1,maxLength=9"`
	B     bool                      `json:"b,omitempty"`
	I     int                       `json:"i,omitempty"`
	I8    int8                      `json:"i8,omitempty"`
	I64   *int64                    `json:"i64,omitempty"`
	U     uint                      `json:"u,omitempty"`
	U64   uint64                    `json:"u64,omitempty"`
	F32   float32                   `json:"f32,omitempty"`
	F64   *float64                  `json:"f64,omitempty"`
	Any   any                       `json:"any,omitempty"`
	Raw   json.RawMessage           `json:"raw,omitempty"`
	Num   json.Number               `json:"num,omitempty"`
	Bytes []byte                    `json:"bytes,omitempty"`
	Time  time.Time                 `json:"time,omitzero"`
	Big   *big.Int                  `json:"big,omitempty"`
	Rat   *big.Rat                  `json:"rat,omitempty"`
	Float *big.Float                `json:"float,omitempty"`
	Level slog.Level                `json:"level,omitempty"`
	Addr  netip.Addr                `json:"addr,omitzero"`
	Code  *code                     `json:"code,omitempty"`
	Any1  any1                      `json:"any1,omitzero"`
	QI    int                       `json:"qi,omitempty,string"`
	QU    *uint8                    `json:"qu,omitempty,string"`
	QF    float64                   `json:"qf,omitempty,string"`
	QB    bool                      `json:"qb,omitempty,string"`
	List  []*everythingElse         `json:"list,omitempty"`
	Arr   [2]int8                   `json:"arr,omitzero"`
	Map   map[label][]int           `json:"map,omitempty"`
	Mail  string                    `json:"mail,omitempty" cash:"format=email"`
	Wait  time.Duration             `json:"wait,omitempty" cash:"min=1s,max=1h"`
	Waits []*time.Duration          `json:"waits,omitempty"`
	URL   *url.URL                  `json:"url,omitempty"`
	Null  sql.NullString            `json:"null,omitzero"`
	Nulls []sql.Null[time.Duration] `json:"nulls,omitempty"`
	Day   *time.Time                `json:"day,omitempty" cash:"format=date"`
	Keys  map[int8]time.Duration    `json:"keys,omitempty"`
	Addrs map[netip.Addr]bool       `json:"addrs,omitempty"`
	Tree  *tree                     `json:"tree,omitempty"`
	Base
}

type everythingElse struct {
	Day  string  `json:"day,omitempty" cash:"format=date"`
	Tags []label `json:"tags" cash:"pattern='^[a-z]+$'"`
}

func TestCheckTyped(t *testing.T) {
	s := typed[everything](t)
	const head = `{"id":"a","shadowed":"b"`
	for _, test := range []struct{ member, want string }{ // want "" accepts
		{`"s":"x"`, ""}, {`"s":""`, "s: must have at least 1 character"}, {`"s":"0123456789"`, "s: must have at most 9 characters"},
		{`"s":"\ud83d\ude00\u00e9\n\\é😀7"`, ""}, {`"s":null`, "s: must be a string, not null"},
		{`"b":true`, ""}, {`"b":"true"`, "b: must be a boolean, not a string"},
		{`"i":9223372036854775807`, ""}, {`"i":9223372036854775808`, "i: must be an integer from -9223372036854775808 to 9223372036854775807"},
		{`"i":1.0`, "i: must be an integer, written without a fraction or an exponent"}, {`"i":1e2`, "i: must be an integer, written without"},
		{`"i":-0`, ""}, {`"i":1` + strings.Repeat("0", 500), "i: must be an integer from"},
		{`"i8":-128`, ""}, {`"i8":-129`, "i8: must be an integer from -128 to 127"}, {`"i64":null`, ""},
		{`"u":-1`, "u: must be an integer from 0 to 18446744073709551615"}, {`"u":-0`, "u: must be an integer from 0"}, {`"u64":18446744073709551615`, ""},
		{`"f32":3.5e38`, "f32: must be a number in the range of a 32-bit float"}, {`"f32":1e-300`, ""}, {`"f64":1e400`, "f64: must be a number in the range of a 64-bit float"},
		{`"f64":null`, ""}, {`"f64":"1"`, "f64: must be a number or null, not a string"},
		{`"any":{"a":[1e300,"1e999"]}`, ""}, {`"any":{"a":[-1e999]}`, "any: has a number beyond the range"}, {`"raw":null`, ""}, {`"num":1e999`, ""}, {`"num":"1"`, "num: must be a number, not a string"},
		{`"bytes":"aGk="`, ""}, {`"bytes":"aGk"`, "bytes: must be base64 with padding"}, {`"bytes":"\u0061Gk="`, ""}, {`"bytes":[1]`, "bytes: must be a string, not an array"},
		{`"time":"2026-01-31T09:30:00Z"`, ""}, {`"time":"2026-01-31"`, "time: must be a date and time with an offset such as"}, {`"time":"2026-02-30T00:00:00Z"`, "time: must be a date"},
		{`"big":123456789012345678901234567890`, ""}, {`"big":"1"`, "big: must be an integer or null, not a string"}, {`"big":1e3`, "big: must be an integer, written"},
		{`"rat":"-1.50"`, ""}, {`"rat":"1e999999999"`, "rat: must match the pattern"}, {`"float":"0.1"`, ""},
		{`"level":"INFO+2"`, ""}, {`"level":"LOUD"`, "level: is not a valid Level"}, {`"addr":"192.0.2.1"`, ""}, {`"addr":"192.0.2"`, "addr: is not a valid Addr"},
		{`"code":"ab"`, ""}, {`"code":"abc"`, "code: is not a valid code"}, {`"code":null`, ""}, {`"code":1`, "code: must be a string or null, not a number"},
		{`"any1":{}`, ""}, {`"any1":[]`, "any1: is not a valid any1"}, {`"any1":true`, "any1: is not a valid any1"},
		{`"qi":"-12"`, ""}, {`"qi":12`, "qi: must be a string, not a number"}, {`"qi":"12x"`, "qi: must match the pattern"}, {`"qi":"012"`, "qi: must be a number written as a string"},
		{`"qu":"255"`, ""}, {`"qu":"256"`, "qu: must be a number written as a string"}, {`"qu":null`, ""}, {`"qf":"1e5"`, ""}, {`"qf":" 1"`, "qf: must be a number"}, {`"qf":"1e999"`, "qf: must be a number"},
		{`"qb":"true"`, ""}, {`"qb":"yes"`, "qb: must be one of true, false"},
		{`"list":[{"tags":[]},null]`, ""}, {`"list":null`, "list: must be an array, not null"},
		{`"list":[{"tags":["ab","AB"]},{"day":"2026-13-01"}]`, "list[0].tags[1]: must match the pattern ^[a-z]+$; list[1].day: must be a date such as 2026-01-31; list[1].tags: missing"},
		{`"list":[{"Tags":[]}]`, "list[0].Tags: unknown member, did you mean `tags`? known: day, tags; list[0].tags: missing"},
		{`"arr":[1,2]`, ""}, {`"arr":[1]`, "arr: must have at least 2 items"}, {`"arr":[1,2,3]`, "arr: must have at most 2 items"}, {`"arr":[1,200]`, "arr[1]: must be an integer from -128 to 127"},
		{`"map":{"any key\n":[1]}`, ""}, {`"map":{"a b":[1,"x"]}`, `map["a b"][1]: must be an integer, not a string`},
		{`"map":{"\u001b[1m\"\\":[null]}`, `map["?[1m'/"][0]: must be an integer, not null`},
		{`"wait":"5m"`, ""}, {`"wait":60000000000`, ""}, {`"wait":"2h"`, "wait: must be at most 1h0m0s"}, {`"wait":1`, "wait: must be at least 1s"}, {`"wait":"-1s"`, "wait: must be at least 1s"},
		{`"wait":"5 min"`, "wait: must be a duration such as 90s, 5m or 1h30m"}, {`"wait":"9999999h"`, "wait: must be a duration"}, {`"wait":1.5e9`, "wait: must be an integer, written without"},
		{`"wait":true`, "wait: must be a string or integer, not a boolean"}, {`"waits":[null,"1ms",7]`, ""},
		{`"url":"https://example.com/a?b=c#d"`, ""}, {`"url":"/a"`, "url: must be an absolute URI"}, {`"url":"https://a:b@example.com"`, "url: must be an absolute URI such as https://example.com/a, without a user"}, {`"url":null`, ""}, {`"url":"https://example.com/%FF"`, "url: must be an absolute URI"},
		{`"null":"x"`, ""}, {`"null":null`, ""}, {`"null":{"String":"x","Valid":true}`, "null: must be a string or null, not an object"}, {`"nulls":["1s",null,5]`, ""},
		{`"day":"2026-01-31"`, ""}, {`"day":"2026-01-31T00:00:00Z"`, "day: must be a date such as 2026-01-31"}, {`"day":null`, ""},
		{`"keys":{"-128":"1s","0":2}`, ""}, {`"keys":{"01":1}`, `keys["01"]: the key must be an integer from -128 to 127`}, {`"keys":{"128":1}`, `keys["128"]: the key must be an integer from -128 to 127`}, {`"keys":{"-0":1}`, `keys["-0"]: the key must be`},
		{`"addrs":{"192.0.2.1":true}`, ""}, {`"addrs":{"192.0.2":true}`, `addrs["192.0.2"]: the key is not a valid Addr`}, {`"addrs":{"::A":true,"::a":true}`, "addrs: has two keys that are the same Addr"},
		{`"tree":{"wait":"1s","kids":[{"kids":[{"wait":"2s"},{}]}],"next":{"next":{"wait":"3s"}}}`, ""}, {`"tree":{"kids":[{"kids":[{"wait":"x"}]}]}`, "tree.kids[0].kids[0].wait: must be a duration"}, {`"tree":{"next":{"nxt":null}}`, "tree.next.nxt: unknown member, did you mean `next`?"},
		{`"mail":"ana@example.com"`, ""}, {`"mail":"Ana <ana@example.com>"`, "mail: must be an e-mail address"},
		{`"ID":"x"`, "ID: unknown parameter, did you mean `id`?"}, {`"\u0069d2":1`, "id2: unknown parameter"}, {`"\u0073":"x"`, ""},
		{`"zzz":1`, "zzz: unknown parameter; known: s, b, i, i8, i64, u, u64, f32, f64, any, raw, num, and 28 more"},
	} {
		t.Run(test.member, func(t *testing.T) {
			data := []byte(head + "," + test.member + "}")
			if err := strictjson.Check(data); err != nil {
				t.Fatal(err)
			}
			err := s.Check(context.Background(), data)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("\n got %v\nwant %s", err, test.want)
			}
			if err == nil {
				if err := json.Unmarshal(s.Native(data), new(everything)); err != nil {
					t.Errorf("accepted, but does not decode: %v", err)
				}
			}
		})
	}
}

// noNull refuses null, which encoding/json does not show it when the field is a pointer.
type noNull struct{ text string }

func (n *noNull) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return errors.New("null")
	}
	return json.Unmarshal(data, &n.text)
}

func TestNullOfPointers(t *testing.T) {
	type state int
	type in struct {
		A *noNull         `json:"a"`
		B *state          `json:"b"`
		C sql.Null[state] `json:"c"`
	}
	s, err := schema.ForArguments(reflect.TypeFor[in](), map[reflect.Type]schema.Given{reflect.TypeFor[state](): {Values: []schema.Value{{Name: "open", Number: "0"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context(), []byte(`{"a":null,"b":null,"c":null}`)); err != nil {
		t.Error(err)
	}
	if got := string(s.Native([]byte(`{"a":"x","b":"open","c":"open"}`))); got != `{"a":"x","b":0,"c":{"V":0,"Valid":true}}` {
		t.Error(got)
	}
}

// TestNamedBounds: a name is bounded like its number, and a number as a text has no name.
func TestNamedBounds(t *testing.T) {
	type state int
	given := map[reflect.Type]schema.Given{reflect.TypeFor[state](): {Values: []schema.Value{{Name: "open", Number: "0"}, {Name: "paid", Number: "1"}}}}
	s, err := schema.ForArguments(reflect.TypeFor[struct {
		A state        `json:"a,omitempty" cash:"min=1"`
		B map[int]bool `json:"b,omitempty"`
	}](), given)
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		`{"a":"paid"}`: "<nil>", `{"a":"open"}`: "a: must be at least 1", `{"a":"lost"}`: "a: must be one of open, paid, 0, 1",
		`{"b":{"x":true}}`: "b.x: the key must be an integer from -9223372036854775808 to 9223372036854775807",
	} {
		if got := fmt.Sprint(s.Check(t.Context(), []byte(data))); got != want {
			t.Errorf("%s: %s", data, got)
		}
	}
	if _, err := schema.ForArguments(reflect.TypeFor[struct {
		A state `json:",string"`
	}](), given); err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Error(err)
	}
}

// FuzzTyped holds ForType to its promise: what it accepts decodes, and exactly.
func FuzzTyped(f *testing.F) {
	s := typed[everything](f)
	for _, doc := range []string{
		`{"id":"a","shadowed":"b","i":1,"u64":2,"f32":1e3,"qi":"4","time":"2026-01-31T09:30:00+01:00","bytes":"aGk=","num":-1.5e2}`,
		`{"id":"","shadowed":"","qf":"1.5","qb":"false","qu":"7","map":{"a":[1]},"arr":[1,2],"list":[{"tags":["a"],"day":"2026-01-31"},null]}`,
		`{"id":"","shadowed":"","big":12,"rat":"1.5","float":"2","level":"WARN","addr":"::1","code":"ab","any1":{},"mail":"a@b.c","i64":null}`,
		`{"id":"","shadowed":"","wait":"5m","waits":["1s",null,3],"url":"http://a/b?c#d","null":"x","nulls":[null,"1s"],"day":"2026-01-31"}`,
		`{"id":"","shadowed":"","keys":{"1":"2s"},"addrs":{"::1":true},"tree":{"wait":"1s","kids":[{"next":{"wait":4}}],"next":null}}`,
		`{"ID":"a"}`, `null`, `[]`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strictjson.Check(data) != nil {
			return
		}
		err := s.Check(context.Background(), data)
		if err != nil {
			checkError(t, err)
			return
		}
		d := json.NewDecoder(bytes.NewReader(s.Native(data)))
		d.DisallowUnknownFields()
		if err := d.Decode(new(everything)); err != nil {
			t.Fatalf("accepted, but does not decode: %v\n%s", err, data)
		}
		if filled := s.WithDefaults(data); !bytes.Equal(filled, data) {
			t.Fatalf("defaults where there are none: %s", filled)
		}
	})
}

// checkError holds an error to its form.
func checkError(t *testing.T, err error) {
	t.Helper()
	e, ok := err.(*schema.Error)
	if !ok || len(e.Violations) == 0 || len(e.Violations) > 5 {
		t.Fatalf("error %#v is not an *Error with 1 to 5 violations", err)
	}
	for _, v := range e.Violations {
		if v.Rule == "" || v.Message == "" || v.Rule == "schema" {
			t.Fatalf("violation %#v says too little", v)
		}
		for _, r := range v.Path + v.Message {
			if r < ' ' || r == 0x7f {
				t.Fatalf("violation %#v has control characters", v)
			}
		}
		if len(v.Message) > 4000 {
			t.Fatalf("violation has %d bytes", len(v.Message))
		}
	}
}

// pair has twice as many fields as T.
type pair[T any] struct{ A, B T }

type pairs[T any] = pair[pair[pair[pair[pair[pair[T]]]]]]

// TestManyShapes: a type of few lines has millions of fields, but not its schema.
func TestManyShapes(t *testing.T) {
	s, err := schema.ForType(reflect.TypeFor[pairs[pairs[pairs[pairs[int]]]]]())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(s.JSON()), `"type":"object"`); n != 24 || !strings.Contains(string(s.JSON()), `"A":{"$ref":"#/$defs/pair2"}`) {
		t.Errorf("%d objects: %s", n, s.JSON())
	}
	small, err := schema.ForType(reflect.TypeFor[pairs[int]]())
	if err != nil || strings.Contains(string(small.JSON()), "$defs") {
		t.Errorf("a small schema has definitions: %s, %v", small.JSON(), err)
	}
	fields := make([]reflect.StructField, 10_001)
	for i := range fields {
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeFor[int]()}
	}
	_, err = schema.ForType(reflect.StructOf(fields))
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "more than 10000 subschemas; take a json.RawMessage") {
		t.Error(err)
	}
}

// ring has the type it begins with twice over at every level.
type (
	ring[T any] struct {
		A, B T
		Back *ringStart `json:",omitempty"`
	}
	rings[T any] = ring[ring[ring[ring[ring[ring[T]]]]]]
	ringStart    struct {
		Wait  time.Duration     `json:"wait,omitempty" cash:"default=5m"`
		First rings[rings[int]] `json:"first"`
	}
)

// TestMutualRecursion: types that contain each other are defined once each, and their values are checked, filled and
// converted as others.
func TestMutualRecursion(t *testing.T) {
	s := typed[struct {
		V *ringStart          `json:"v,omitempty"`
		W rings[rings[int]]   `json:"w,omitempty"`
		X []rings[rings[int]] `json:"x" cash:"minItems=1"`
	}](t)
	if n := strings.Count(string(s.JSON()), `"type":"object"`); n != 14 {
		t.Errorf("%d objects: %s", n, s.JSON())
	}
	level := `{"A":1,"B":2}`
	for range 11 {
		level = `{"A":` + level + `,"B":` + level + `}`
	}
	data := []byte(`{"x":[` + level + `],"v":{"first":` + level + `}}`)
	if err := s.Check(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if got := string(s.Native(s.WithDefaults(data))); !strings.HasSuffix(got, `,"wait":300000000000}}`) {
		t.Errorf("...%s", got[len(got)-50:])
	}
	bad := []byte(`{"x":[` + strings.Replace(level, "2", `"2"`, 1) + `]}`)
	if err := s.Check(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "x[0].A.A.A.A.A.A.A.A.A.A.A.B: must be an integer") {
		t.Error(err)
	}
}

type (
	edges  []edge
	vertex struct {
		Out edges `json:"out" cash:"minItems=1"`
	}
	edge struct {
		To *vertex `json:"to"`
	}
)

// TestNamedListInRecursion: a list in a recursive type takes its tags.
func TestNamedListInRecursion(t *testing.T) {
	s := typed[struct {
		Edges edges `json:"edges" cash:"minItems=2"`
	}](t)
	if want := `"edges":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/edge"}}`; !strings.Contains(string(s.JSON()), want) {
		t.Errorf("%s, want %s", s.JSON(), want)
	}
}

// TestUntouchableTags: tags of other packages that do no harm are no mistakes.
func TestUntouchableTags(t *testing.T) {
	type Base struct {
		//lint:ignore SA5008 what generators write
		X int `json:"x,omitEmpty"`
	}
	type result struct {
		//lint:ignore SA5008 what generators write
		ID string `json:"id,required"`
	}
	_, err := schema.ForType(reflect.TypeFor[struct {
		Base `json:"-"`
	}]())
	if other := schema.CheckOutput(reflect.TypeFor[result]()); err != nil || other != nil {
		t.Error(err, other)
	}
}

// TestTagMistakes holds that tags that nobody reads are told. The types are made by hand, because vet refuses them.
func TestTagMistakes(t *testing.T) {
	for want, tags := range map[string][]reflect.StructTag{
		`field F0: the tag is malformed from "cash:min=1" on, and Go ignores it; write cash:"..." with double quotes`: {`json:"n" cash:min=1`},
		`field F0: the tag is malformed from "cash: \"min=1\"" on`:                                                    {`json:"n" cash: "min=1"`},
		`field F0: the tag key "Cash" is not read: keys are lower case; write cash`:                                   {`json:"n" Cash:"min=1"`},
		`field F0: the tag key "cash" stands twice, and only the first is read; join them`:                            {`cash:"min=1" cash:"max=2"`},
		`field F0: json tag "n,omitEmpty": encoding/json has no option "omitEmpty"; write omitempty`:                  {`json:"n,omitEmpty"`},
		`field F0: json tag "n,required": encoding/json has no option "required"; a field without omitempty is`:       {`json:"n,required"`},
		`field F0: json tag "n,optional": encoding/json has no option "optional"; write omitempty or omitzero`:        {`json:"n,optional"`},
		`fields F0 and F1 are both named "n" in JSON, so encoding/json leaves both out; rename one`:                   {`json:"n"`, `json:"n"`},
		"2 mistakes:\n\tstruct{...}: field F0: json tag":                                                              {`json:"n,omitEmpty"`, `json:"m,omit_zero"`},
		"": {`json:"n,omitempty" db:"id" doc:"use json: or cash:" jsonschema:"Sort order, newest=first, or required."`},
	} {
		var fields []reflect.StructField
		for i, tag := range tags {
			fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeFor[int](), Tag: tag})
		}
		_, err := schema.ForType(reflect.StructOf(fields))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", tags, err, want)
		}
	}
}

// TestEmbeddingDecodes checks what the schema of embedded structs promises.
func TestEmbeddingDecodes(t *testing.T) {
	s := typed[embedding](t)
	data := []byte(`{"id":"a","named":{"id":"b","shadowed":"c"},"shadowed":1,"inner":{"Y":true}}`)
	if err := s.Check(context.Background(), data); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var v embedding
	if err := d.Decode(&v); err != nil || v.ID != "a" || v.Shadowed != 1 || !v.Y || v.private != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}
