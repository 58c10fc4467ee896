package registry

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
)

// About returns the description for a model to read, without the marks of a heading at its start. A
// function without a description gets one line that is made of its name and of the number of its
// parameters: "Create order; takes 2 parameters." It names no parameter (RFC 6.1).
func (f *Function) About() string {
	if text := about(f.description); text != "" {
		return text
	}
	takes := "1 parameter"
	switch n := len(f.Params()); {
	case n == 0 && f.Open():
		takes = "any arguments"
	case n == 0:
		takes = "no parameters"
	case n > 1:
		takes = fmt.Sprintf("%d parameters", n)
	}
	text := label.Words(f.name) + "; takes " + takes + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// About returns the skill's description, or else one line that is made of its name.
func (s *Skill) About() string {
	if text := about(s.description); text != "" {
		return text
	}
	return "How to " + label.Words(s.Given()) + "."
}

// About returns the namespace's description, or else one line that is made of its name.
func (c Child) About() string {
	if text := about(c.Description); text != "" {
		return text
	}
	return "What " + c.Name + " can do."
}

// about returns a description without the marks of a heading, and empty if nothing of it is visible.
func about(description string) string { return clean.WithoutHeading(clean.Text(description)) }
