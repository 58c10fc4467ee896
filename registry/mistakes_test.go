package registry_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/registry"
)

// Types with one mistake each, and Several with many.
type (
	UnknownFormat struct {
		Day string `json:"day" cash:"format=foo"`
	}
	UnknownWord struct {
		N int `json:"n" cash:"minimum=1"`
	}
	MisspeltWord struct {
		N int `json:"n" cash:"mni=1"`
	}
	RequiredWord struct {
		N int `json:"n,omitempty" cash:"required"`
	}
	WrongTag struct {
		Kind string `json:"kind" jsonschema:"required,enum=a|b"`
	}
	WrongTagText struct {
		Kind string `json:"kind" jsonschema:"description=Foo"`
	}
	Unexported struct {
		kind string `cash:"enum=a|b"`
	}
	HiddenTag struct {
		Kind string `json:"-" cash:"enum=a|b"`
	}
	BadPattern struct {
		Code string `json:"code" cash:"pattern='^(A'"`
	}
	LookAhead struct {
		Code string `json:"code" cash:"pattern=(?!a)"`
	}
	BadNumber struct {
		N int `json:"n" cash:"min=one"`
	}
	BadCount struct {
		S string `json:"s" cash:"maxLength=-1"`
	}
	Crossed struct {
		N int `json:"n" cash:"min=9,max=1"`
	}
	MinOfText struct {
		S string `json:"s" cash:"min=1"`
	}
	LengthOfNumber struct {
		N int `json:"n" cash:"maxLength=3"`
	}
	DefaultRequired struct {
		S string `json:"s" cash:"default=x"`
	}
	DefaultOutside struct {
		N int `json:"n,omitempty" cash:"min=1,default=0"`
	}
	ExampleOutside struct {
		S string `json:"s" cash:"enum=a|b,example=c"`
	}
	EnumTwice struct {
		S string `json:"s" cash:"enum=a|b|a"`
	}
	EnumEmpty struct {
		S string `json:"s" cash:"enum=a||b"`
	}
	WordTwice struct {
		N int `json:"n" cash:"min=1,min=2"`
	}
	NoValue struct {
		N int `json:"n" cash:"min"`
	}
	OpenQuote struct {
		S string `json:"s" cash:"pattern='a"`
	}
	CommaValue struct {
		S string `json:"s" cash:"pattern=^a{1,3}$"`
	}
	FormatOfTime struct {
		At time.Time `json:"at" cash:"format=time"`
	}
	QuotedText struct {
		S string `json:"s,string"`
	}
	Channel struct {
		C chan int `json:"c"`
	}
	BoolKeys struct {
		M map[bool]int `json:"m"`
	}
	Methods struct {
		R fmt.Stringer `json:"r"`
	}
	EnumCommas struct {
		S string `json:"s" cash:"enum=a,b"`
	}
	EnumQuoted struct {
		S string `json:"s" cash:"enum='a,b'|c"`
	}
	EnumNothing struct {
		S string `json:"s" cash:"enum=a|''"`
	}
	Colon struct {
		N int `json:"n" cash:"min:1"`
	}
	Semicolon struct {
		N int `json:"n" cash:"min=1;max=2"`
	}
	LengthOfItems struct {
		N []int `json:"n" cash:"minLength=1"`
	}
	TooMany struct {
		N []int `json:"n" cash:"maxItems=2"`
	}
	OutOfType struct {
		N uint8 `json:"n" cash:"min=-1,max=300"`
	}
	RequiredOptional struct {
		N int `json:"n,omitempty" cash:"required"`
	}
	DottedName struct {
		A int `json:"order.id"`
	}
	SameNames struct {
		A int `json:"order-id"`
		B int `json:"order_id"`
	}
	Inner struct {
		C int `json:"c" cash:"max=x"`
	}
	Outer struct {
		In []Inner `json:"in"`
	}
	Endless struct {
		Next *Endless `json:"next,omitempty" cash:"default={}"`
	}
	Several struct {
		Day  string    `json:"day" cash:"format=foo"`
		N    int       `json:"n,omitempty" cash:"min=9,max=1,default=x"`
		C    chan bool `json:"c"`
		kind string    `cash:"enum=a"`
		In   []Inner   `json:"in"`
	}
	ChannelOut struct {
		Done func() `json:"done"`
	}
	DetailOut struct {
		Name string `json:"name" cash:"detail=some"`
	}
	NilSchema struct{}
)

func (NilSchema) JSONSchema() *jsonschema.Schema { return nil }

func takes[In any](opts ...registry.FuncOption) func() {
	return func() {
		registry.Func("f", "", func(context.Context, In) (string, error) { return "", nil }, opts...)
	}
}

func gives[Out any]() {
	registry.Func("f", "", func(context.Context, struct{}) (out Out, err error) { return out, nil })
}

// mistaken lists mistakes, each named by what is wrong.
func mistaken() []struct {
	name string
	make func()
} {
	return []struct {
		name string
		make func()
	}{
		{"a format that does not exist", takes[UnknownFormat]()},
		{"a word of JSON Schema", takes[UnknownWord]()},
		{"a misspelt word", takes[MisspeltWord]()},
		{"required in the cash tag", takes[RequiredWord]()},
		{"words in the jsonschema tag", takes[WrongTag]()},
		{"a description with its word", takes[WrongTagText]()},
		{"a tag on an unexported field", takes[Unexported]()},
		{"a tag on a field that is left out", takes[HiddenTag]()},
		{"a pattern that does not compile", takes[BadPattern]()},
		{"a pattern that RE2 does not have", takes[LookAhead]()},
		{"a bound that is no number", takes[BadNumber]()},
		{"a length that is no count", takes[BadCount]()},
		{"bounds that cross", takes[Crossed]()},
		{"a bound of a text", takes[MinOfText]()},
		{"a length of a number", takes[LengthOfNumber]()},
		{"a default that is never used", takes[DefaultRequired]()},
		{"a default outside of its bounds", takes[DefaultOutside]()},
		{"an example outside of its enum", takes[ExampleOutside]()},
		{"a value twice", takes[EnumTwice]()},
		{"an empty value", takes[EnumEmpty]()},
		{"a word twice", takes[WordTwice]()},
		{"a word without its value", takes[NoValue]()},
		{"an open quote", takes[OpenQuote]()},
		{"a comma outside of quotes", takes[CommaValue]()},
		{"a format of a time", takes[FormatOfTime]()},
		{"the option string of a text", takes[QuotedText]()},
		{"a channel", takes[Channel]()},
		{"keys that JSON does not have", takes[BoolKeys]()},
		{"an interface with methods", takes[Methods]()},
		{"values with commas", takes[EnumCommas]()},
		{"a quoted value of several", takes[EnumQuoted]()},
		{"a value that is nothing", takes[EnumNothing]()},
		{"a colon", takes[Colon]()},
		{"a semicolon", takes[Semicolon]()},
		{"a length of items", takes[LengthOfItems]()},
		{"the most items", takes[TooMany]()},
		{"bounds that the type does not reach", takes[OutOfType]()},
		{"required for an optional field", takes[RequiredOptional]()},
		{"a name that is none", takes[DottedName]()},
		{"two names that are the same", takes[SameNames]()},
		{"a mistake in a type inside", takes[Outer]()},
		{"a default without end", takes[Endless]()},
		{"a schema that is nil", takes[struct{ V NilSchema }]()},
		{"several at once", takes[Several]()},
		{"arguments that are no object", takes[[]string]()},
		{"a schema for a type that is not there", takes[Inner2](registry.TypeSchema[time.Time](schemaOf("string")))},
		{"names without values", takes[struct{ V Status }](registry.Enum[Status]())},
		{"a result that JSON does not have", gives[ChannelOut]},
		{"a level that does not exist", gives[DetailOut]},
		{"keys of a result", gives[map[bool]int]},
		{"no handler", func() { registry.Func[struct{}, string]("f", "", nil) }},
		{"a hyphen in the name of a function", func() {
			registry.New(nil).Namespace("n", "").Add(registry.Func("create-order", "", func(context.Context, struct{}) (string, error) { return "", nil }))
		}},
		{"a hyphen in the name of a namespace", func() { registry.New(nil).Namespace("order-mgmt", "") }},
	}
}

type Inner2 struct {
	C int `json:"c"`
}

func schemaOf(word string) *jsonschema.Schema { return &jsonschema.Schema{Type: word} }

// TestMistakes lists what a mistake is told by, in testdata/mistakes.txt (-update).
func TestMistakes(t *testing.T) {
	_, _ = Unexported{}.kind, Several{}.kind
	list := mistaken()
	if len(list) < 40 {
		t.Errorf("%d mistakes, want 40", len(list))
	}
	line := regexp.MustCompile(`[^ (]*/([a-z_]+\.go):[0-9]+`)
	var b bytes.Buffer
	for _, m := range list {
		text := strings.ReplaceAll(line.ReplaceAllString(mustPanic(t, m.make), "$1:N"), "registry_test.", "shop.")
		fmt.Fprintf(&b, "%s:\n    %s\n", m.name, strings.ReplaceAll(text, "\n", "\n    "))
		if !strings.Contains(text, "mistakes_test.go:N") {
			t.Errorf("%s: %s: no source line", m.name, text)
		}
	}
	golden(t, "testdata/mistakes.txt", b.Bytes())
}
