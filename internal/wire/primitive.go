package wire

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Primitive is a resource or prompt as a server lists it.
type Primitive struct {
	Key                      string // identity: the URI of a resource, the name of a prompt
	Name, Title, Description string
	MIME                     string     // of a resource
	Arguments                []Argument // of a prompt
}

// An Argument is a string argument of a prompt.
type Argument struct {
	Name, Description string
	Required          bool
}

// ListedName implements [Named].
func (p *Primitive) ListedName() string {
	if p.Name == "" {
		return p.Key
	}
	return p.Name
}

// Equal reports whether both definitions are the same. Either may be nil.
func (p *Primitive) Equal(q *Primitive) bool {
	return q != nil && p.Key == q.Key && p.Name == q.Name && p.Title == q.Title && p.Description == q.Description &&
		p.MIME == q.MIME && slices.Equal(p.Arguments, q.Arguments)
}

// maxKey bounds the key of a resource or prompt, in bytes.
const maxKey = 8 << 10

// ParsePrimitives reads the array of resources or prompts in a result; see [List].
func ParsePrimitives(kind toolid.Kind, array []byte) (list []*Primitive, dropped []string, err error) {
	return List(string(kind), array, func(raw []byte) (*Primitive, error) { return parsePrimitive(kind, raw) })
}

// parsePrimitive parses an entry of a list. With an error, the primitive holds the parts that could be read.
func parsePrimitive(kind toolid.Kind, raw []byte) (*Primitive, error) {
	p := new(Primitive)
	err := Entry(raw, func(key string, value []byte) error { return p.set(kind, key, value) })
	missing := "no URI"
	if kind == toolid.Prompt {
		p.Key, missing = p.Name, "no name"
	}
	switch {
	case err != nil:
	case p.Key == "":
		err = errors.New(missing)
	case len(p.Key) > maxKey:
		err = fmt.Errorf("it is known by %d bytes, at most %d are read", len(p.Key), maxKey)
	}
	return p, err
}

// set reads one member.
func (p *Primitive) set(kind toolid.Kind, key string, value []byte) (err error) {
	switch {
	case key == "name":
		err = strictjson.Set(&p.Name, key, value)
	case key == "title":
		err = strictjson.Set(&p.Title, key, value)
	case key == "description":
		err = strictjson.Set(&p.Description, key, value)
	case key == "uri" && kind == toolid.Resource:
		err = strictjson.Set(&p.Key, key, value)
	case key == "mimeType" && kind == toolid.Resource:
		err = strictjson.Set(&p.MIME, key, value)
	case key == "arguments" && kind == toolid.Prompt:
		p.Arguments, err = parseArguments(value)
	}
	return err
}

// maxArguments bounds the arguments of a prompt.
const maxArguments = 1000

func parseArguments(raw []byte) ([]Argument, error) {
	switch kind := strictjson.KindOf(raw); kind {
	case strictjson.Array:
	case strictjson.Null:
		return nil, nil
	default:
		return nil, fmt.Errorf("arguments: want an array, got type %s", kind)
	}
	var list []Argument
	for i, value := range strictjson.Elements(raw) {
		if i >= maxArguments {
			return nil, fmt.Errorf("arguments: at most %d are read", maxArguments)
		}
		a, err := parseArgument(value)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		list = append(list, a)
	}
	names := make(map[string]bool, len(list))
	for i, a := range list {
		if names[a.Name] {
			return nil, fmt.Errorf("argument %d: the name of another", i+1)
		}
		names[a.Name] = true
	}
	return list, nil
}

func parseArgument(raw []byte) (Argument, error) {
	var a Argument
	var title string
	err := strictjson.EachMember(raw, func(key string, value []byte) error {
		switch key {
		case "name":
			return strictjson.Set(&a.Name, key, value)
		case "title":
			return strictjson.Set(&title, key, value)
		case "description":
			return strictjson.Set(&a.Description, key, value)
		case "required":
			return strictjson.Set(&a.Required, key, value)
		}
		return nil
	})
	if err == nil && a.Name == "" {
		err = errors.New("no name")
	}
	if err != nil {
		return a, err
	}
	a.Description = First(a.Description, title)
	return a, nil
}

// First returns the first text that is not blank.
func First(texts ...string) string {
	i := slices.IndexFunc(texts, func(t string) bool { return clean.Line(t, 1) != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}
