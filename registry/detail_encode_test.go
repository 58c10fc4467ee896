package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

var levels = []registry.Detail{registry.Minimal, registry.Standard, registry.Full}

// The types below are odd in ways that encoding/json has rules for.

type pointerMarshaler struct{ A int }

func (p *pointerMarshaler) MarshalJSON() ([]byte, error) { return []byte(`"<pointer>"`), nil }

type textKey struct{ A, B int }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d/%d", k.A, k.B), nil }

type pointerText struct{ A int }

func (p *pointerText) MarshalText() ([]byte, error) { return []byte("<text>"), nil }

type pointerZero struct{ A, B int }

func (z *pointerZero) IsZero() bool { return z.A == 0 }

type valueZero struct{ A, B int }

func (z valueZero) IsZero() bool { return z.A == 0 }

type zeroes interface{ IsZero() bool }

type quotedText string

type marshalledText string

func (m marshalledText) MarshalJSON() ([]byte, error) { return json.Marshal("m:" + string(m)) }

type byteWithMethod byte

func (b byteWithMethod) MarshalText() ([]byte, error) {
	return []byte("b" + strconv.Itoa(int(b))), nil
}

type leaf struct {
	Name string `json:"name" cash:"detail=minimal"`
	Note string `json:"note,omitempty"`
	Deep any    `json:"deep,omitempty" cash:"detail=full"`
}

type Embedded struct {
	Shadowed string
	Promoted leaf
	Tagged   int `json:"tagged"`
}

type OtherEmbedded struct {
	Tie    int
	Tagged int
}

type ThirdEmbedded struct{ Tie int }

type unexported struct {
	Visible any
	hidden  int
}

type PointerEmbedded struct{ Far leaf }

type recursive struct {
	leaf
	Next *recursive            `json:"next,omitempty"`
	Kids []recursive           `json:"kids,omitempty"`
	Map  map[string]*recursive `json:"map,omitempty"`
	Self *recursive            `json:"-"`
}

type oddities struct {
	Embedded
	OtherEmbedded
	ThirdEmbedded
	unexported
	*PointerEmbedded
	NamedEmbed `json:"named"`
	Shadowed   any
	Never      chan int                    `json:"-"`
	HTML       any                         `json:"<&>"`
	QInt       int64                       `json:"qint,string"`
	QFloat     *float64                    `json:",string,omitempty"`
	QText      quotedText                  `json:"qtext,string"`
	QMarsh     marshalledText              `json:"qmarsh,string"`
	QNumber    json.Number                 `json:"qnumber,string"`
	QNil       *bool                       `json:"qnil,string"`
	Empty      leaf                        `json:"empty,omitempty"`
	EmptyArr   [0]leaf                     `json:"emptyarr,omitempty"`
	EmptyAny   any                         `json:"emptyany,omitempty"`
	EmptyPtr   *leaf                       `json:"emptyptr,omitempty"`
	EmptyMap   map[string]leaf             `json:"emptymap,omitempty"`
	ZeroTime   time.Time                   `json:"zerotime,omitzero"`
	ZeroPtr    pointerZero                 `json:"zeroptr,omitzero"`
	ZeroVal    valueZero                   `json:"zeroval,omitzero"`
	ZeroValPtr *valueZero                  `json:"zerovalptr,omitzero"`
	ZeroIface  zeroes                      `json:"zeroiface,omitzero"`
	ZeroLeaf   leaf                        `json:"zeroleaf,omitzero"`
	Time       time.Time                   `json:"time"`
	Big        *big.Int                    `json:"big"`
	Raw        json.RawMessage             `json:"raw"`
	Bytes      []byte                      `json:"bytes"`
	Methods    []byteWithMethod            `json:"methods"`
	Pointed    pointerMarshaler            `json:"pointed"`
	PointedT   pointerText                 `json:"pointedt"`
	Many       []pointerMarshaler          `json:"many"`
	Keys       map[textKey]leaf            `json:"keys"`
	Ints       map[int8]*leaf              `json:"ints"`
	Uints      map[uint]any                `json:"uints"`
	MapMany    map[string]pointerMarshaler `json:"mapmany"`
	Array      [2]leaf                     `json:"array"`
	Nils       []*leaf                     `json:"nils"`
	NilSlice   []leaf                      `json:"nilslice"`
	NilMap     map[string]leaf             `json:"nilmap"`
	Err        error                       `json:"err"`
	Deep       ****leaf                    `json:"deep"`
}

type NamedEmbed struct{ Inner leaf }

func strange() oddities {
	l := leaf{"n<&>\u2028\xff", "note", map[string]any{"b": leaf{"x", "", nil}, "a": []any{nil, 1.5, "t", &leaf{}}}}
	p := &l
	pp := &p
	ppp := &pp
	f := 1.25
	return oddities{
		Embedded: Embedded{"a", l, 1}, unexported: unexported{l, 2}, PointerEmbedded: &PointerEmbedded{l}, NamedEmbed: NamedEmbed{l},
		Shadowed: l, HTML: "<b>", QInt: math.MaxInt64, QFloat: &f, QText: `q"<`, QMarsh: "x", QNumber: "12e3",
		ZeroIface: (*valueZero)(nil), ZeroValPtr: &valueZero{1, 2}, Time: time.Date(2026, 3, 31, 1, 2, 3, 4, time.UTC), Big: big.NewInt(7),
		Raw: json.RawMessage(` {"a" : "<" } `), Bytes: []byte("b"), Methods: []byteWithMethod{1, 2}, Many: make([]pointerMarshaler, 1),
		Keys: map[textKey]leaf{{2, 1}: l, {1, 2}: {}}, Ints: map[int8]*leaf{-3: nil, 12: &l, 9: &l}, Uints: map[uint]any{3: l, 20: 1},
		MapMany: map[string]pointerMarshaler{"z": {1}}, Nils: []*leaf{nil, &l}, Err: fmt.Errorf("e"), Deep: &ppp,
	}
}

// oddTags returns a value of a struct whose tags are in error for those who read code.
func oddTags() any {
	shown := reflect.TypeFor[leaf]()
	t := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: shown, Tag: `json:"-,"`},
		{Name: "B", Type: shown, Tag: `json:"bad\"name"`},
		{Name: "C", Type: reflect.TypeFor[[]int](), Tag: `json:"c,string"`},
		{Name: "D", Type: shown, Tag: `json:",unknown,omitempty,omitempty"`},
		{Name: "E", Type: shown, Tag: `json`},
	})
	return reflect.Zero(t).Interface()
}

// TestF8FullIsEncodingJSON holds that the code that trims writes all that it does
// not trim as encoding/json does.
func TestF8FullIsEncodingJSON(t *testing.T) {
	odd := strange()
	rec := recursive{leaf: leaf{Name: "a"}, Next: &recursive{leaf: leaf{Name: "b"}}, Kids: []recursive{{}, {leaf: leaf{Deep: recursive{}}}},
		Map: map[string]*recursive{"x": nil, "w": {}}}
	type private struct {
		unexported `json:"named"`
		*recursive
		L leaf
	}
	for name, v := range map[string]any{
		"nil": nil, "value": odd, "pointer": &odd, "zero": oddities{}, "slice": []oddities{odd, {}}, "any": []any{odd, &odd, nil},
		"array of values": [1]oddities{odd}, "map": map[string]oddities{"k": odd}, "recursive": rec,
		"private":        private{unexported: unexported{leaf{Name: "x"}, 1}, recursive: &rec},
		"private nil":    &private{},
		"nil pointer":    (*oddities)(nil),
		"nil list":       []leaf(nil),
		"nil dictionary": map[string]leaf(nil),
		"odd tags":       oddTags(),
		"scalar":         1.0, "text": "<a>", "number": json.Number("1.50"),
	} {
		t.Run(name, func(t *testing.T) { sameAsJSON(t, v) })
	}
}

func sameAsJSON(t *testing.T, v any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	wantErr := enc.Encode(v)
	got, err := registry.Trimmed(v, registry.Full)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	if want := strings.TrimSuffix(b.String(), "\n"); err == nil && got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestTrimmedRefuses holds that values without a JSON form are an error, not the
// end of the process.
func TestTrimmedRefuses(t *testing.T) {
	type chain struct {
		Next *chain            `cash:"detail=minimal"`
		Map  map[string]*chain `cash:"detail=minimal"`
	}
	loop, many := &chain{}, &chain{}
	loop.Next = loop
	many.Map = map[string]*chain{"a": many, "b": many}
	var self any
	self = []any{&self}
	for name, v := range map[string]any{
		"loop": loop, "loops": many, "any loop": self, "channel": []any{make(chan int)}, "not a number": []any{math.NaN()},
		"keys": map[bool]any{true: 1}, "number": []any{json.Number("x")}, "raw": []any{json.RawMessage("{")},
		"key without text": map[badKey]any{{}: 1},
		"late tag": []any{struct {
			A int `cash:"detail=some"`
		}{}},
	} {
		for _, level := range levels[:2] {
			if got, err := registry.Trimmed(v, level); err == nil {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

type badKey struct{}

func (badKey) MarshalText() ([]byte, error) { return nil, fmt.Errorf("no") }

// TestF8Subset holds over random types and values that each level shows all that
// the one below it does, and is no shorter.
func TestF8Subset(t *testing.T) {
	for seed := range uint64(1500) {
		checkLevels(t, seed)
	}
}

func FuzzF8Subset(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkLevels)
}

func checkLevels(t *testing.T, seed uint64) {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	v := g.value(g.typ(4), 4).Interface()
	sameAsJSON(t, v)
	var below map[string]bool
	length := 0
	for _, level := range levels {
		text, err := registry.Trimmed(v, level)
		if err != nil {
			t.Fatalf("seed %d: %s of %T: %v", seed, level, v, err)
		}
		var decoded any
		if err := json.Unmarshal([]byte(text), &decoded); err != nil {
			t.Fatalf("seed %d: %s is no JSON: %s", seed, level, text)
		}
		keys := map[string]bool{}
		collectKeys(decoded, "", keys)
		for k := range below {
			if !keys[k] {
				t.Fatalf("seed %d: %s does not show %s: %s", seed, level, k, text)
			}
		}
		if len(text) < length {
			t.Fatalf("seed %d: %s is shorter than the level below it: %s", seed, level, text)
		}
		below, length = keys, len(text)
	}
}

func collectKeys(v any, at string, keys map[string]bool) {
	keys[at] = true
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			collectKeys(e, at+"/"+k, keys)
		}
	case []any:
		for i, e := range v {
			collectKeys(e, fmt.Sprint(at, "/", i), keys)
		}
	}
}

// A generator makes random types and values.
type generator struct{ *rand.Rand }

var scalars = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[float64](), reflect.TypeFor[string](),
	reflect.TypeFor[any](), reflect.TypeFor[leaf](), reflect.TypeFor[time.Duration](), reflect.TypeFor[recursive](),
	reflect.TypeFor[*string](), reflect.TypeFor[quotedText](), reflect.TypeFor[string](), reflect.TypeFor[pointerMarshaler](),
}

func (g generator) typ(depth int) reflect.Type {
	if depth == 0 {
		return scalars[g.IntN(len(scalars))]
	}
	switch g.IntN(7) {
	case 0:
		return reflect.PointerTo(g.typ(depth - 1))
	case 1:
		return reflect.SliceOf(g.typ(depth - 1))
	case 2:
		return reflect.MapOf(reflect.TypeFor[string](), g.typ(depth-1))
	case 3:
		return reflect.ArrayOf(g.IntN(3), g.typ(depth-1))
	case 4:
		return g.typ(0)
	}
	var fields []reflect.StructField
	for i := range g.IntN(5) {
		t := g.typ(g.IntN(depth))
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: t, Tag: g.tag(i, t)})
	}
	return reflect.StructOf(fields)
}

func (g generator) tag(i int, t reflect.Type) reflect.StructTag {
	name := []string{"", fmt.Sprint("f", i), "same", "-"}[g.IntN(4)]
	options := []string{"", "", ",omitempty", ",omitzero", ",string", ",omitempty,string"}[g.IntN(6)]
	var words []string
	if g.IntN(2) == 0 {
		words = append(words, "detail="+string(levels[g.IntN(3)]))
	}
	if base := t; g.IntN(2) == 0 {
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		if base.Kind() == reflect.String {
			words = append(words, fmt.Sprint("excerpt=", 2+g.IntN(20)))
		}
	}
	return reflect.StructTag(fmt.Sprintf(`json:"%s%s" cash:"%s"`, name, options, strings.Join(words, ",")))
}

func (g generator) value(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if depth == 0 || g.IntN(8) == 0 {
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(g.Int64())
	case reflect.Uint8:
		v.SetUint(g.Uint64N(256))
	case reflect.Float64:
		v.SetFloat(g.NormFloat64())
	case reflect.String:
		v.SetString(g.text())
	case reflect.Interface:
		v.Set(g.value(g.typ(depth-1), depth-1))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(g.value(t.Elem(), depth))
	case reflect.Slice:
		for range g.IntN(4) {
			v = reflect.Append(v, g.value(t.Elem(), depth-1))
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(g.value(t.Elem(), depth-1))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range g.IntN(4) {
			v.SetMapIndex(reflect.ValueOf(g.text()), g.value(t.Elem(), depth-1))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(g.value(t.Field(i).Type, depth-1))
			}
		}
	}
	return v
}

func (g generator) text() string {
	words := []string{"a", "word", " ", " ", "\n", "é", "e\u0301", "日本", "👩‍👩‍👧", "🇳🇴", "\xff", "<", `"`, "\u2028"}
	var b strings.Builder
	for range g.IntN(30) {
		b.WriteString(words[g.IntN(len(words))])
	}
	return b.String()
}
