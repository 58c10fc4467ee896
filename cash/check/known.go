package check

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillext"
)

// known holds the server's tools, resources, prompts and skills, for valid requests.
type known struct {
	extension bool     // the skills extension is declared
	skills    []string // URIs of SKILL.md
	calls     []string // params of tools/call, without _meta
	resources []string // URIs
	prompts   []string // params of prompts/get, without _meta
}

// discover lists the server's content. What it does not list counts as absent.
func (l *link) discover(ctx context.Context, calls []string) {
	const most = 12 // of each kind
	for _, c := range calls {
		l.known.calls = append(l.known.calls, inner(c))
	}
	var tools struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]struct{ Type any }
			}
		}
	}
	l.list(ctx, "tools/list", &tools)
	for _, t := range tools.Tools[:min(most, len(tools.Tools))] {
		arguments := map[string]any{}
		for name, p := range t.InputSchema.Properties {
			if len(arguments) < most {
				arguments[name] = example(p.Type)
			}
		}
		l.known.calls = append(l.known.calls, `"name":`+quoted(t.Name)+`,"arguments":`+toJSON(arguments))
	}
	var resources struct{ Resources []struct{ URI string } }
	l.list(ctx, "resources/list", &resources)
	for _, r := range resources.Resources[:min(most, len(resources.Resources))] {
		l.known.resources = append(l.known.resources, r.URI)
	}
	var prompts struct {
		Prompts []struct {
			Name      string
			Arguments []struct{ Name string }
		}
	}
	l.list(ctx, "prompts/list", &prompts)
	for _, p := range prompts.Prompts[:min(most, len(prompts.Prompts))] {
		arguments := map[string]any{}
		for _, a := range p.Arguments[:min(most, len(p.Arguments))] {
			arguments[a.Name] = "x"
		}
		l.known.prompts = append(l.known.prompts, `"name":`+quoted(p.Name)+`,"arguments":`+toJSON(arguments))
	}
	if l.known.extension {
		l.discoverSkills(ctx)
	}
}

// discoverSkills lists some skills and their files. A server without the extension is not asked: it knows none of its
// methods.
func (l *link) discoverSkills(ctx context.Context) {
	const most = 2
	var skills struct {
		Skills []struct {
			URI       string
			Resources json.RawMessage
		}
	}
	l.list(ctx, skillext.MethodList, &skills)
	for _, s := range skills.Skills[:min(most, len(skills.Skills))] {
		l.known.skills = append(l.known.skills, s.URI)
		var files []struct{ URI string }
		_ = json.Unmarshal(s.Resources, &files) // not for a dynamic skill
		for _, f := range files[:min(most, len(files))] {
			l.known.resources = append(l.known.resources, f.URI)
		}
	}
}

func (l *link) list(ctx context.Context, method string, into any) {
	if result, err := l.ask(ctx, method, ""); err == nil {
		_ = json.Unmarshal(result, into)
	}
}

// example returns a value of a JSON Schema type.
func example(kind any) any {
	switch kind {
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []string{"x"}
	case "object":
		return map[string]string{"x": "y"}
	}
	return "x"
}

// inner returns the text between an object's braces.
func inner(object string) string {
	first, last := strings.IndexByte(object, '{'), strings.LastIndexByte(object, '}')
	if first < 0 || last < first {
		return ""
	}
	return strings.TrimSpace(object[first+1 : last])
}
