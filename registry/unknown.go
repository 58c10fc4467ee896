package registry

import (
	"fmt"
	"strings"
)

// This file has the errors for names that do not exist or that the caller may not see. The texts
// depend only on the requested name and on what the caller sees. A hidden entry therefore looks the
// same as an absent one (R54).

func invalidPath(path string) error {
	msg := "Invalid namespace " + quoteName(path) + ": " + labelRule + ", and levels are joined by single dots."
	e := &Error{Kind: InvalidName, Message: msg}
	if fixed := strings.NewReplacer("-", "_", "/", ".").Replace(path); fixed != path {
		if _, ok := CanonicalPath(fixed); ok {
			e.Message += fmt.Sprintf(" Did you mean `%s`?", cleanName(fixed))
		}
	}
	return e
}

// invalidFunction also explains a name that contains a dotted path (R31).
func invalidFunction(path, name string) error {
	e := &Error{Kind: InvalidName, Namespace: path, Name: name}
	i := strings.LastIndexByte(name, '.')
	if i > 0 {
		ns, fn := name[:i], name[i+1:]
		if path != "" && !strings.HasPrefix(name, path+".") {
			ns = join(path, ns)
		}
		_, okPath := CanonicalPath(ns)
		if _, ok := Canonical(fn); ok && okPath {
			e.Message = fmt.Sprintf("Invalid function name %s: the namespace is an argument of its own.", quoteName(name))
			e.Hint, e.Next = fmt.Sprintf("Use `namespace=\"%s\", function=\"%s\"`.", cleanName(ns), cleanName(fn)), LookUp
			return e
		}
	}
	e.Message = "Invalid function name " + quoteName(name) + ": " + labelRule + "."
	return e
}

// NoNamespace is the error for a namespace that does not exist, or in which the caller sees
// nothing.
func NoNamespace(path string) *Error {
	return &Error{Kind: UnknownNamespace, Namespace: path, Message: "No namespace " + quoteName(path) + "."}
}

// NoFunction is the error for a function that does not exist in the namespace at path, or that the
// caller may not see.
func NoFunction(path, name string) *Error {
	return &Error{Kind: UnknownFunction, Namespace: path, Name: name,
		Message: "No function " + quoteName(name) + " in " + place(path) + "."}
}

// NoSkill is the error for a skill that does not exist in the namespace at path, or that the caller
// may not see.
func NoSkill(path, name string) *Error {
	return &Error{Kind: UnknownSkill, Namespace: path, Name: name,
		Message: "No skill " + quoteName(name) + " in " + place(path) + "."}
}

func place(path string) string {
	if path == "" {
		return "the root namespace"
	}
	return "namespace " + quoteName(path)
}
