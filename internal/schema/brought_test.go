package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// money decodes itself from a text and brings its schema by a value receiver.
type money struct{ text string }

const moneySchema = `{"type":"string","description":"An amount.","pattern":"^[0-9]+[.][0-9]{2} [A-Z]{3}$"}`

func (money) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "An amount.", Pattern: "^[0-9]+[.][0-9]{2} [A-Z]{3}$"}
}

func (m *money) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &m.text); err != nil {
		return err
	}
	if strings.HasPrefix(m.text, "0.00") || m.text == "" {
		return errors.New("it is worth nothing")
	}
	return nil
}

// grade is a plain kind with a closed list of values, by a pointer receiver.
type grade int

func (*grade) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Enum: []any{1, 2, 3}, Default: json.RawMessage("2")}
}

// optional is what many programs have for a value that may be absent or null.
type optional[T any] struct {
	set   bool
	value *T
}

func (optional[T]) JSONSchema() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}

func (o *optional[T]) UnmarshalJSON(data []byte) error {
	o.set = true
	return json.Unmarshal(data, &o.value)
}

// branches refers to its own parts, in a recursive type, which has no schema else.
type branches struct {
	Name  string      `json:"name"`
	Below []*branches `json:"below,omitempty"`
}

func (branches) JSONSchema() *jsonschema.Schema {
	node := &jsonschema.Schema{
		Type: "object", Required: []string{"name"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		PropertyOrder: []string{"name", "below"},
		Properties: map[string]*jsonschema.Schema{
			"name":  {Type: "string"},
			"below": {Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/a~1b%25"}},
		},
	}
	return &jsonschema.Schema{Ref: "#/$defs/a~1b%25", Defs: map[string]*jsonschema.Schema{"a/b%": node}}
}

// itself refers to itself as a whole.
type itself []itself

func (itself) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#"}}
}

type (
	noSchema    struct{ X int }
	panicSchema struct{ X int }
	neverSchema struct{ X int }
)

func (noSchema) JSONSchema() *jsonschema.Schema    { return nil }
func (panicSchema) JSONSchema() *jsonschema.Schema { panic("no") }
func (neverSchema) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Not: &jsonschema.Schema{}}
}

// foreign is of a package that one does not own.
type foreign struct{ A, B int }

// given are the schemas of ForTypeWith, by type.
type given = map[reflect.Type]json.RawMessage

// TestBroughtJSON pins what is published of types that bring a schema.
func TestBroughtJSON(t *testing.T) {
	const f = `{"type":"array","title":"F","const":{"$id":"a","$ref":1}}`
	const strictObject = `,"additionalProperties":false}`
	const node = `{"type":"object","properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#REF"}}},"required":["name"],"additionalProperties":false}`
	for _, test := range []struct {
		name  string
		typ   reflect.Type
		given given
		want  string
	}{
		{"alone", reflect.TypeFor[money](), nil, moneySchema},
		{"pointer receiver", reflect.TypeFor[[]grade](), nil, `{"type":"array","items":{"type":"integer","enum":[1,2,3],"default":2}}`},
		{"map of pointers", reflect.TypeFor[map[string]*grade](), nil, `{"type":"object","additionalProperties":{"type":["integer","null"],"enum":[1,2,3,null],"default":2}}`},
		{"generic", reflect.TypeFor[optional[int]](), nil, `{"type":["integer","null"]}`},
		{"tags", reflect.TypeFor[struct {
			A money   `json:"a" jsonschema:"The price." cash:"minLength=8,example=12.00 EUR"`
			B *money  `json:"b,omitempty" cash:"advanced,default=1.00 EUR,format=money"`
			C []money `json:"c" cash:"maxLength=9,minItems=1"`
			D grade   `json:"d,omitempty" cash:"default=3,min=1"`
		}](), nil, `{"type":"object","properties":{"a":{"type":"string","description":"The price.","pattern":"^[0-9]+[.][0-9]{2} [A-Z]{3}$","examples":["12.00 EUR"],"minLength":8},` +
			`"b":{"type":["string","null"],"description":"An amount.","format":"money","pattern":"^[0-9]+[.][0-9]{2} [A-Z]{3}$","default":"1.00 EUR"},` +
			`"c":{"type":"array","minItems":1,"items":{"type":"string","description":"An amount.","pattern":"^[0-9]+[.][0-9]{2} [A-Z]{3}$","maxLength":9}},` +
			`"d":{"type":"integer","enum":[1,2,3],"default":3,"minimum":1}},"required":["a","c"]` + strictObject},
		{"references move", reflect.TypeFor[struct {
			T  branches            `json:"t~/é"`
			In map[string]branches `json:"in"`
		}](), nil, `{"type":"object","properties":{"t~/é":{"$ref":"#/properties/t~0~1%C3%A9/$defs/a~1b%25","$defs":{"a/b%":` +
			strings.ReplaceAll(node, "#REF", "#/properties/t~0~1%C3%A9/$defs/a~1b%25") + `}},` +
			`"in":{"type":"object","additionalProperties":{"$ref":"#/properties/in/additionalProperties/$defs/a~1b%25","$defs":{"a/b%":` +
			strings.ReplaceAll(node, "#REF", "#/properties/in/additionalProperties/$defs/a~1b%25") + `}}}},"required":["t~/é","in"]` + strictObject},
		{"pointer to a reference", reflect.TypeFor[struct {
			T *branches `json:"t" jsonschema:"A tree."`
		}](), nil, `{"type":"object","properties":{"t":{"description":"A tree.","anyOf":[{"$ref":"#/properties/t/anyOf/0/$defs/a~1b%25","$defs":{"a/b%":` +
			strings.ReplaceAll(node, "#REF", "#/properties/t/anyOf/0/$defs/a~1b%25") + `}},{"type":"null"}]}},"required":["t"]` + strictObject},
		{"pointer to what refers to itself", reflect.TypeFor[struct {
			T *itself `json:"t"`
		}](), nil, `{"type":"object","properties":{"t":{"anyOf":[{"type":"array","items":{"$ref":"#/properties/t/anyOf/0"}},{"type":"null"}]}},"required":["t"]` + strictObject},
		{"bound around what refers to itself", reflect.TypeFor[struct {
			L []itself `json:"l" cash:"minItems=2"`
		}](), nil, `{"type":"object","properties":{"l":{"type":"array","minItems":2,"items":{"type":"array","items":{"$ref":"#/properties/l/items"}}}},"required":["l"]` + strictObject},
		{"as a whole", reflect.TypeFor[itself](), nil, `{"type":"array","items":{"$ref":"#"}}`},
		{"given", reflect.TypeFor[struct {
			F  foreign            `json:"f"`
			L  []*foreign         `json:"l"`
			M  map[string]foreign `json:"m"`
			At time.Time          `json:"at"`
		}](), given{
			reflect.TypeFor[foreign]():   json.RawMessage(` { "title" : "F", "type" : ["array"], "const": {"$id": "a", "$ref": 1} } `),
			reflect.TypeFor[time.Time](): json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string","format":"date-time","minLength":20}`),
		}, `{"type":"object","properties":{"f":` + f + `,"l":{"type":"array","items":{"anyOf":[` + f + `,{"type":"null"}]}},` +
			`"m":{"type":"object","additionalProperties":` + f + `},` +
			`"at":{"type":"string","format":"date-time","minLength":20}},"required":["f","l","m","at"]` + strictObject},
		{"given over its own", reflect.TypeFor[money](), given{reflect.TypeFor[money](): json.RawMessage(`true`)}, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.ForTypeWith(test.typ, test.given)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(s.JSON()); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if _, err := schema.Parse(s.JSON()); err != nil {
				t.Errorf("its own Parse refuses it: %v", err)
			}
			var library jsonschema.Schema
			if err := json.Unmarshal(s.JSON(), &library); err != nil {
				t.Fatal(err)
			}
			if _, err := library.Resolve(nil); err != nil {
				t.Errorf("jsonschema-go does not find what it refers to: %v", err)
			}
		})
	}
}

// TestBroughtRefuses holds that a schema of no use is named with type and field.
func TestBroughtRefuses(t *testing.T) {
	foreignType := reflect.TypeFor[struct{ F foreign }]()
	with := func(text string) given { return given{reflect.TypeFor[foreign](): json.RawMessage(text)} }
	for _, test := range []struct {
		name  string
		typ   reflect.Type
		given given
		want  string
	}{
		{"nil", reflect.TypeFor[struct{ A noSchema }](), nil, "field A: type schema_test.noSchema: its schema: JSONSchema returns nil"},
		{"panic", reflect.TypeFor[struct{ A []panicSchema }](), nil, "field A: type schema_test.panicSchema: its schema: JSONSchema panics: no"},
		{"never", reflect.TypeFor[struct{ A neverSchema }](), nil, "it accepts nothing"},
		{"not there", foreignType, given{reflect.TypeFor[foreign](): json.RawMessage(`{}`), reflect.TypeFor[money](): json.RawMessage(`{}`)},
			"TypeSchema or Enum is given for type schema_test.money, which does not occur in it"},
		{"only as a key", reflect.TypeFor[map[label]int](), given{reflect.TypeFor[label](): json.RawMessage(`{}`)}, "does not occur"},
		{"inside of what decodes itself", reflect.TypeFor[any1](), given{reflect.TypeFor[string](): json.RawMessage(`{}`)}, "does not occur"},
		{"no JSON", foreignType, with(`{`), "field F: type schema_test.foreign: its schema: reading schema"},
		{"twice", foreignType, with(`{"type":"string","type":"string"}`), "reading schema"},
		{"bad keyword", foreignType, with(`{"type":"strong"}`), "seven type words"},
		{"without end", foreignType, with(`{"$ref":"#"}`), "applies itself to the same value without end"},
		{"leaves", foreignType, with(`{"$ref":"https://example.com/a.json"}`), "is not in this document"},
		{"nowhere", foreignType, with(`{"$ref":"#/$defs/x"}`), "there is no subschema"},
		{"id", foreignType, with(`{"$id":"https://example.com/a.json"}`), `schema at "#/$id": it has no meaning inside of another schema`},
		{"anchor", foreignType, with(`{"items":{"$anchor":"a"},"not":{"$ref":"#a"}}`), `schema at "#/items/$anchor"`},
		{"dynamic anchor", foreignType, with(`{"$defs":{"a":{"$dynamicAnchor":"a"}}}`), "$dynamicAnchor"},
		{"schema inside", foreignType, with(`{"items":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}`), "#/items/$schema"},
		{"reached from elsewhere", foreignType, with(`{"$ref":"#/x/y","x":{"y":{"$anchor":"a"}}}`), `#/x/y/$anchor`},
		{"older draft", foreignType, with(`{"$schema":"http://json-schema.org/draft-07/schema#"}`), "$schema names an older draft"},
		{"too large", foreignType, with(`{"description":"` + strings.Repeat("x", 300<<10) + `"}`), "at most"},
		{"too large together", reflect.TypeFor[struct{ A, B, C foreign }](),
			with(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{},`, 4000), ",") + `]}`), "more than 10000 subschemas"},
		{"default", foreignType, with(`{"type":"object","default":{"A":"x"}}`), "field F: default breaks the field's own rules: is not a valid foreign"},
		{"interface", reflect.TypeFor[struct{ E error }](), given{reflect.TypeFor[error](): json.RawMessage(`{}`)}, "interface type error has methods"},
		{"channel", reflect.TypeFor[struct{ C chan int }](), given{reflect.TypeFor[chan int](): json.RawMessage(`{}`)}, "has no JSON form"},

		{"tag that does not fit", reflect.TypeFor[struct {
			M money `cash:"min=1"`
		}](), nil, "field M: cash tag \"min=1\": min: it is for numbers, and not for string; write minLength=..."},
		{"tag of a reference", reflect.TypeFor[struct {
			B branches `cash:"minLength=1"`
		}](), nil, "field B: cash tag \"minLength=1\": minLength: it is for strings, and not for any value"},
		{"tag again", reflect.TypeFor[struct {
			M money `cash:"pattern=a"`
		}](), nil, "field M: cash tag \"pattern=a\": pattern: the schema of the type has pattern already"},
		{"enum again", reflect.TypeFor[struct {
			G grade `cash:"enum=1"`
		}](), nil, "field G: cash tag \"enum=1\": enum: the schema of the type has enum already"},
		{"tag of what refers to itself", reflect.TypeFor[struct {
			I itself `cash:"minItems=1"`
		}](), nil, "minItems: the schema of the type refers to itself as a whole"},
		{"default of the tag", reflect.TypeFor[struct {
			M money `json:"m,omitempty" cash:"default=0.00 EUR"`
		}](), nil, "default breaks the field's own rules: is not a valid money"},
		{"option string", reflect.TypeFor[struct {
			G grade `json:"g,string"`
		}](), nil, "the json option string and a schema of the type exclude each other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.ForTypeWith(test.typ, test.given)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

type bringing struct {
	Price  money              `json:"price"`
	Extra  *money             `json:"extra,omitempty"`
	Grade  grade              `json:"grade,omitempty"`
	Maybe  optional[string]   `json:"maybe,omitzero"`
	Tree   *branches          `json:"tree,omitempty"`
	Grades map[string]*grade  `json:"grades,omitempty"`
	Points []foreign          `json:"points,omitempty"`
	Self   itself             `json:"self,omitempty"`
	Deep   map[string][]money `json:"deep,omitempty"`
}

// TestBroughtChecks holds that what passes decodes, and that types see what only
// they can refuse.
func TestBroughtChecks(t *testing.T) {
	s, err := schema.ForTypeWith(reflect.TypeFor[bringing](), given{
		reflect.TypeFor[foreign](): json.RawMessage(`{"type":"object","properties":{"A":{"type":"integer","default":7}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ members, want string }{ // want "" accepts
		{`"price":"1.00 EUR"`, ""}, {`"price":"1"`, "price: must match the pattern"}, {`"price":"0.00 EUR"`, "price: is not a valid money"},
		{`"price":null`, "price: must be a string, not null"}, {`"price":"1.00 EUR","extra":null`, ""}, {`"price":"1.00 EUR","extra":"0.00 EUR"`, "extra: is not a valid money"},
		{`"price":"1.00 EUR","grade":4`, "grade: must be one of 1, 2, 3"}, {`"price":"1.00 EUR","grade":1.0`, "grade: is not a valid grade"}, {`"price":"1.00 EUR","grade":1.5`, "grade: must be an integer"},
		{`"price":"1.00 EUR","maybe":null`, ""}, {`"price":"1.00 EUR","maybe":"x"`, ""}, {`"price":"1.00 EUR","maybe":1`, "maybe: must be a string or null"},
		{`"price":"1.00 EUR","tree":null`, ""}, {`"price":"1.00 EUR","tree":{"name":"a","below":[{"name":"b"}]}`, ""},
		{`"price":"1.00 EUR","tree":{"name":"a","below":[{"name":1}]}`, "tree"},
		{`"price":"1.00 EUR","grades":{"a":null,"b":3}`, ""}, {`"price":"1.00 EUR","grades":{"a":0}`, "grades.a: must be one of 1, 2, 3, null"},
		{`"price":"1.00 EUR","points":[{"A":1},{}]`, ""}, {`"price":"1.00 EUR","points":[{"A":"1"}]`, "points[0].A: must be an integer"},
		{`"price":"1.00 EUR","points":[{"A":9223372036854775808}]`, "points[0]: is not a valid foreign"},
		{`"price":"1.00 EUR","self":[[],[[]]]`, ""}, {`"price":"1.00 EUR","self":[[],[[1]]]`, "self[1][0][0]: must be an array"},
		{`"price":"1.00 EUR","deep":{"a":["2.00 EUR"]}`, ""}, {`"price":"1.00 EUR","deep":{"a":["2"]}`, "deep.a[0]: must match the pattern"},
	} {
		data := []byte("{" + test.members + "}")
		if err := strictjson.Check(data); err != nil {
			t.Fatal(err)
		}
		err := s.Check(context.Background(), data)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s:\n got %v\nwant %s", data, err, test.want)
		}
		if err == nil {
			if err := json.Unmarshal(data, new(bringing)); err != nil {
				t.Errorf("%s is accepted, but does not decode: %v", data, err)
			}
		}
	}
	// A default of the type fills its field. One inside of the type is its own affair.
	got := string(s.WithDefaults([]byte(`{"price":"1.00 EUR","points":[{}]}`)))
	if want := `{"price":"1.00 EUR","points":[{}],"grade":2}`; got != want {
		t.Errorf("with defaults %s, want %s", got, want)
	}
	if p := s.Params()[0]; p.Description != "An amount." || p.Type != "string" || !strings.HasPrefix(p.Rules, "Pattern: ") {
		t.Errorf("%+v", p)
	}
}

// TestGivenIsNotCached holds that a given schema reaches no other function, and is
// not taken from one.
func TestGivenIsNotCached(t *testing.T) {
	typ := reflect.TypeFor[struct {
		F foreign `json:"f"`
	}]()
	text := func(s *schema.Schema, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`"f":[^,}]*`).FindString(string(s.JSON()))
	}
	one := text(schema.ForTypeWith(typ, given{reflect.TypeFor[foreign](): json.RawMessage(`{"title":"1"}`)}))
	inferred := text(schema.ForType(typ))
	two := text(schema.ForTypeWith(typ, given{reflect.TypeFor[foreign](): json.RawMessage(`{"title":"2"}`)}))
	if one != `"f":{"title":"1"` || two != `"f":{"title":"2"` || inferred != `"f":{"type":"object"` || text(schema.ForType(typ)) != inferred {
		t.Error(one, two, inferred)
	}
}

// TestBroughtSuite runs the official suite with each schema given to the type of a
// field, a pointer and an element: it means there what it means alone. What cannot
// move is refused.
func TestBroughtSuite(t *testing.T) {
	typ := reflect.TypeFor[struct {
		Field   json.RawMessage               `json:"a/b%c,omitempty"`
		Pointer *json.RawMessage              `json:"pointer,omitempty"`
		Inside  map[string][]*json.RawMessage `json:"inside,omitempty"`
	}]()
	files, err := filepath.Glob(filepath.Join(suiteDir(t), "draft2020-12", "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	moved, stuck := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			alone, err := schema.Parse(g.Schema)
			if err != nil {
				continue // it refers to other documents
			}
			s, err := schema.ForTypeWith(typ, given{reflect.TypeFor[json.RawMessage](): g.Schema})
			if err != nil {
				if stuck++; !regexp.MustCompile("has no meaning inside|older draft|accepts nothing").MatchString(err.Error()) {
					t.Errorf("%s: %s: %v", filepath.Base(file), g.Description, err)
				}
				continue
			}
			for _, c := range g.Tests {
				moved++
				want := alone.Check(context.Background(), c.Data) == nil
				for place, valid := range map[string]bool{
					`{"a/b%%c":%s}`: want, `{"pointer":%s}`: want || string(c.Data) == "null", `{"inside":{"x":[null,%s]}}`: want || string(c.Data) == "null",
				} {
					data := fmt.Appendf(nil, place, c.Data)
					if err := s.Check(context.Background(), data); (err == nil) != valid {
						t.Errorf("%s: %s: %s: %s: valid %t, but %v\nin %s", filepath.Base(file), g.Description, c.Description, data, valid, err, s.JSON())
					}
				}
			}
		}
	}
	if moved < 900 || stuck > 60 {
		t.Errorf("%d cases, %d schemas refused", moved, stuck)
	}
	t.Logf("%d cases, %d schemas refused", moved, stuck)
}

// FuzzBrought holds that a schema means inside of another what it means alone.
func FuzzBrought(f *testing.F) {
	typ := reflect.TypeFor[struct {
		F json.RawMessage  `json:"f~é,omitempty"`
		P *json.RawMessage `json:"p,omitempty"`
	}]()
	for _, raw := range []string{
		moneySchema, `{"$ref":"#/$defs/a","$defs":{"a":{"type":["array","null"],"items":{"$ref":"#"}}}}`, `{"enum":[1,"a",null],"minimum":2}`,
		`{"properties":{"$ref":{"const":{"$ref":"#"}},"x":{"$ref":"#/properties/%24ref"}}}`, `{"type":"integer","default":1,"examples":[2]}`,
	} {
		f.Add([]byte(raw), []byte(`{"$ref":{"$ref":"#"},"x":[[],null]}`))
	}
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		wrapped := [2][]byte{fmt.Appendf(nil, `{"f~é":%s}`, data), fmt.Appendf(nil, `{"p":%s}`, data)}
		if strictjson.Check(data) != nil || strictjson.Check(wrapped[0]) != nil {
			return
		}
		alone, err := schema.Parse(raw)
		s, typedErr := schema.ForTypeWith(typ, given{reflect.TypeFor[json.RawMessage](): raw})
		if err != nil || typedErr != nil {
			if err != nil && typedErr == nil {
				t.Fatalf("refused alone: %v", err)
			}
			return
		}
		if _, err := schema.Parse(s.JSON()); err != nil {
			t.Fatalf("Parse refuses %s: %v", s.JSON(), err)
		}
		err = alone.Check(context.Background(), data)
		for i, null := range []bool{false, string(bytes.TrimSpace(data)) == "null"} {
			if typedErr = s.Check(context.Background(), wrapped[i]); (typedErr == nil) != (err == nil || null) && !isBudget(err) && !isBudget(typedErr) {
				t.Fatalf("%s: alone %v, inside %v, in %s", data, err, typedErr, s.JSON())
			}
		}
	})
}

func isBudget(err error) bool {
	var e *schema.Error
	return errors.As(err, &e) && e.Violations[0].Rule == "budget"
}
