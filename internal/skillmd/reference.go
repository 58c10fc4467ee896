package skillmd

import "strings"

// Reference is an invocation of a CaSH tool in a skill text. It is used to check that its target exists.
type Reference struct {
	// Line is the line of the text, from 1, on which the invocation starts.
	Line int
	// Tool is "call", "help" or "skill".
	Tool string
	// Namespace is the argument as written. Empty and absent both mean the root (R11).
	Namespace string
	// Name is the function, or the skill for Tool "skill"; empty if not given.
	Name string
	// HasNamespace distinguishes namespace="" from no namespace.
	HasNamespace bool
	// Kwargs are the top-level keys of kwargs={...}, in order. For help and skill the other keyword arguments follow,
	// which the specification also writes directly (R7).
	Kwargs []string
	// Dynamic means that the reference cannot be checked, because an argument is not a plain text (positional, a
	// variable, a placeholder).
	Dynamic bool
}

// References lists the invocations call(...), help(...) and skill(...) of a text in order, in prose, code spans and
// blocks, on one line or several. Words such as `orders.create` do not count. Text in parentheses that is not
// arguments, as in "call (the customer)", does not count either, unless it starts with a keyword argument; then it is
// Dynamic.
//
// The work is bounded: in a text built to be slow, references beyond the bound are omitted.
func References(body string) []Reference {
	var refs []Reference
	line, counted := 1, 0
	for found := range eachInvocation(invocationParser{s: body, prose: true}) {
		line += strings.Count(body[counted:found.open], "\n")
		counted = found.open
		ref := newReference(found.invocation, line)
		ref.Dynamic = ref.Dynamic || !found.whole
		refs = append(refs, ref)
	}
	return refs
}

// toolBefore returns the name of the tool that ends at body[:open], or "".
func toolBefore(body string, open int) string {
	start := open
	for start > 0 && open-start <= len("skill") && isWord(body[start-1]) {
		start--
	}
	word := body[start:open]
	if !isTool(word) || start > 0 && body[start-1] == '.' {
		return ""
	}
	return word
}

func hasKeyword(args []argument) bool {
	return len(args) > 0 && args[0].name != ""
}

func newReference(inv invocation, line int) Reference {
	ref := Reference{Line: line, Tool: inv.tool}
	var direct []string
	for _, arg := range inv.args {
		switch key := canonical(arg.name); {
		case key == "":
			ref.Dynamic = true
		case arg.value.isNull():
			// Like an absent namespace (X15).
		case key == "namespace":
			ref.HasNamespace = true
			ref.Namespace = ref.plain(arg.value)
		case key == nameKey(inv.tool) || inv.tool == "skill" && key == "name":
			ref.Name = ref.plain(arg.value)
		case key == "kwargs":
			ref.Kwargs = append(ref.Kwargs, arg.value.keys...)
			ref.Dynamic = ref.Dynamic || arg.value.kind != mapValue
		case inv.tool != "call":
			direct = append(direct, arg.name)
		}
	}
	ref.Kwargs = append(ref.Kwargs, direct...)
	return ref
}

// nameKey returns the canonical name of the argument with the function or skill.
func nameKey(tool string) string {
	if tool == "skill" {
		return "skillname"
	}
	return "function"
}

func (l literal) isNull() bool {
	return l.kind == otherValue && (l.text == "null" || l.text == "None")
}

// plain returns a string argument. It marks the reference as Dynamic for other values and for stand-ins.
func (r *Reference) plain(v literal) string {
	if v.kind != stringValue || strings.ContainsAny(v.text, "{}<>\u2026") || strings.Contains(v.text, "...") {
		r.Dynamic = true
		return ""
	}
	return v.text
}
