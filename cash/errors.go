package cash

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// CodeGated is the code of a result withheld by the gate, under [registry.MetaCode].
const CodeGated = "GATED"

// renderError returns an error as the CaSH face shows it (RFC 4.4, 8.6).
func renderError(err error) *registry.Result {
	e := registry.AsError(err)
	r := registry.TextResult("**Error:** " + e.Error())
	r.IsError, r.Meta = true, map[string]any{registry.MetaCode: string(e.Kind)}
	return r
}

// hinted is withHint with a deadline, for errors of calls. The look-ups for a hint run visibility
// rules, which may hang.
func (s *Server) hinted(ctx context.Context, err error) error {
	e := registry.AsError(err)
	switch e.Kind {
	case registry.UnknownNamespace, registry.UnknownFunction, registry.UnknownSkill, registry.InvalidName:
	default:
		return s.withHint(ctx, e)
	}
	if e.Hint != "" {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	hinted, err := serve.Apart(ctx, s.opts.Serve.Logger, "hint", func() (error, error) { return s.withHint(ctx, e), nil })
	if err != nil {
		return e
	}
	return hinted
}

// hintTimeout bounds the time for a hint.
const hintTimeout = 2 * time.Second

// withHint returns err with the next step in terms of the three tools.
func (s *Server) withHint(ctx context.Context, err error) error {
	e := *registry.AsError(err)
	if e.Hint != "" {
		return &e
	}
	if meant := didYouMean(e.Namespace, registry.Suggest(ctx, s.source, &e)); meant != "" {
		e.Message += " " + meant
	}
	switch e.Kind {
	case registry.UnknownNamespace:
		if hint := s.dotted(ctx, e.Namespace); hint != "" {
			e.Hint = hint
		} else if near := s.nearest(ctx, e.Namespace); near != "" {
			e.Hint = fmt.Sprintf("Use `help(namespace=%q)` to see what is in that namespace.", near)
		} else {
			e.Hint = "Use `help()` to see available namespaces."
		}
	case registry.UnknownFunction:
		if skill, err := s.source.Skill(ctx, e.Namespace, e.Name); err == nil {
			e.Hint = fmt.Sprintf("It is a skill: read it with `%s`.", skillCall(e.Namespace, skill.Name()))
			break
		}
		e.Hint = fmt.Sprintf("Use `%s` to see available functions.", helpCall(e.Namespace, ""))
	case registry.UnknownSkill:
		e.Hint = fmt.Sprintf("Use `%s` to see available skills.", s.skillsNear(ctx, e.Namespace))
	case registry.InvalidName:
		e.Hint = "Use `help()` to see available names."
		if ns := s.nearest(ctx, e.Namespace+"."); ns != "" && e.Name != "" {
			e.Hint = fmt.Sprintf("Use `%s` to see available names.", helpCall(ns, ""))
		}
	case registry.InvalidArguments:
		if e.Name != "" {
			e.Hint = fmt.Sprintf("Use `%s` to see its parameters.", helpCall(e.Namespace, e.Name))
		}
	}
	return &e
}

// didYouMean returns a sentence with suggestions, for a request in the namespace at path.
func didYouMean(path string, list []registry.Suggestion) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case i == 0:
			b.WriteString("Did you mean ")
		case i == len(list)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		switch {
		case s.Name == "":
			fmt.Fprintf(&b, "`%s`", s.Namespace)
		case s.Namespace == path:
			fmt.Fprintf(&b, "`%s`", s.Name)
		case s.Namespace == "":
			fmt.Fprintf(&b, "`%s` without a namespace", s.Name)
		default:
			fmt.Fprintf(&b, "`%s` in namespace `%s`", s.Name, s.Namespace)
		}
	}
	if len(list) > 0 {
		b.WriteString("?")
	}
	return b.String()
}

// dotted returns the hint for a namespace argument that ends with a function name, or "".
func (s *Server) dotted(ctx context.Context, path string) string {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return ""
	}
	f, err := s.source.Function(ctx, path[:i], path[i+1:])
	if err != nil {
		return ""
	}
	return fmt.Sprintf("Use `namespace=%q, function=%q`.", f.Namespace(), f.Name())
}

// nearest returns the deepest namespace above path in which the caller sees
// functions, or "".
func (s *Server) nearest(ctx context.Context, path string) string {
	for {
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return ""
		}
		path = path[:i]
		if l, err := s.source.List(ctx, path); err == nil && l.HasFunctions {
			return l.Namespace
		}
	}
}

// skillsNear returns the invocation that lists the skills nearest to path.
func (s *Server) skillsNear(ctx context.Context, path string) string {
	if path != "" {
		if l, err := s.source.List(ctx, path); err == nil && l.HasSkills {
			return skillList(l.Namespace)
		}
	}
	return skillList("")
}

// helpCall writes an invocation of help.
func helpCall(namespace, function string) string {
	var args []string
	if namespace != "" {
		args = append(args, fmt.Sprintf("namespace=%q", namespace))
	}
	if function != "" {
		args = append(args, fmt.Sprintf("function=%q", function))
	}
	return "help(" + strings.Join(args, ", ") + ")"
}
