package facade

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A domain is one tool of the face, as one caller sees it.
type domain struct {
	label       string // as registered
	tool        string // name of the tool
	description string
	path        string // path of the namespace with the commands; empty is none
	root        bool   // the functions of the root are commands too
	unavailable bool   // the whole domain
	source      registry.Source
	builtin     bool
}

const (
	suffix      = "Execute"
	maxToolName = 64 // accepted by every client
)

// toolName returns the name of a domain's tool: order_mgmt becomes OrderMgmtExecute. Labels that differ in canonical
// form get names that differ even without case. A name that is too long is cut and ends with a hash.
func toolName(label string) string {
	var b strings.Builder
	for _, word := range strings.Split(label, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]))
			b.WriteString(word[1:])
		}
	}
	name := b.String()
	if len(name)+len(suffix) > maxToolName {
		hash := sha256.Sum256([]byte(label))
		end := "-" + hex.EncodeToString(hash[:8])
		name = name[:maxToolName-len(suffix)-len(end)] + end
	}
	return name + suffix
}

// domains returns the domains that the caller in ctx sees, in the order of the tools' names.
func (s *Server) domains(ctx context.Context) ([]*domain, error) {
	top, err := s.source.List(ctx, "")
	if err != nil {
		return nil, err
	}
	var list []*domain
	taken := make(map[string]bool) // by canonical label
	for _, c := range top.Namespaces {
		if !c.HasFunctions {
			continue
		}
		d := s.namespace(c.Name, c.Path, c.Description, c.Unavailable)
		d.root = len(top.Functions) > 0 && s.isRoot(c.Name)
		list, taken[canonical(c.Name)] = append(list, d), true
	}
	if root := canonical(s.opts.Root); len(top.Functions) > 0 && !taken[root] {
		list, taken[root] = append(list, s.rootDomain(top)), true
	}
	for i, d := range s.builtinDomains() {
		if taken[canonical(d.label)] {
			s.hides[i].Do(func() { s.opts.Serve.Logger.WarnContext(ctx, "a namespace hides a built-in domain", "domain", d.label) })
			continue
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b *domain) int { return strings.Compare(a.tool, b.tool) })
	// Clients may reject a list with duplicate names.
	return slices.CompactFunc(list, func(a, b *domain) bool { return a.tool == b.tool }), nil
}

func (s *Server) namespace(label, path, description string, unavailable bool) *domain {
	return &domain{
		label: label, tool: toolName(label), description: description, path: path,
		unavailable: unavailable, source: s.source,
	}
}

func (s *Server) rootDomain(top *registry.Listing) *domain {
	return &domain{label: s.opts.Root, tool: toolName(s.opts.Root), description: top.Description, root: true, source: s.source}
}

// domain returns the domain with a label.
func (s *Server) domain(ctx context.Context, label string) (*domain, error) {
	name, ok := registry.Canonical(label)
	if !ok {
		return nil, unknownDomain(label)
	}
	src := s.source
	var top *registry.Listing
	if s.isRoot(name) {
		var err error
		if top, err = src.List(ctx, ""); err != nil {
			return nil, err
		}
		if len(top.Functions) == 0 {
			top = nil
		}
	}
	l, err := src.List(ctx, label)
	switch {
	case err == nil && l.HasFunctions:
		d := s.namespace(l.Namespace, l.Namespace, l.Description, l.Unavailable != nil)
		d.root = top != nil
		return d, nil
	case errors.Is(err, registry.Unavailable):
		return nil, s.namespace(label, "", "", true).notNow(err)
	case err != nil && !errors.Is(err, registry.UnknownNamespace):
		return nil, err
	case top != nil:
		return s.rootDomain(top), nil
	}
	for _, d := range s.builtinDomains() {
		if canonical(d.label) == name {
			return d, nil
		}
	}
	return nil, unknownDomain(label)
}

// byTool returns the domain whose tool has exactly this name, or nil if the caller sees none.
func (s *Server) byTool(ctx context.Context, tool string) (*domain, error) {
	label, ok := strings.CutSuffix(tool, suffix)
	switch {
	case !ok || len(tool) > maxToolName:
		return nil, nil
	case len(tool) < maxToolName:
		d, err := s.domain(ctx, label)
		if errors.Is(err, registry.UnknownNamespace) || err == nil && d.tool != tool {
			return nil, nil
		}
		return d, err
	}
	list, err := s.domains(ctx) // a cut name does not reveal its label
	if i := slices.IndexFunc(list, func(d *domain) bool { return d.tool == tool }); i >= 0 {
		return list[i], nil
	}
	return nil, err
}

// isRoot reports whether label is that of the root domain.
func (s *Server) isRoot(label string) bool { return canonical(label) == canonical(s.opts.Root) }

// canonical returns the form in which labels are compared. Sources use the same form.
func canonical(label string) string {
	c, _ := registry.Canonical(label)
	return cmp.Or(c, label)
}

func unknownDomain(label string) error {
	return &registry.Error{Kind: registry.UnknownNamespace, NotRun: true, Message: "Unknown domain: " + shown(label) + "."}
}
