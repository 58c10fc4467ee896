package config

import (
	"errors"
	"fmt"
	"strings"
)

// An expander puts the values of environment variables into texts.
type expander struct {
	getenv func(name string) (string, bool)
	left   int // bytes of values that may still be taken
}

// maxExpanded is the most bytes that all variables of a file may bring in.
const maxExpanded = 4 << 20

var (
	errMalformed = errors.New("a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves")
	errNested    = errors.New("a default with a variable in it: variables cannot be nested")
	errExpanded  = errors.New("the variables bring in more than 4 MiB: shorten their values")
)

// expand returns text with ${env:NAME} and ${env:NAME:-default} replaced by the
// value of the variable, and $$ by a dollar. The default stands in for a
// variable that is empty or not set. What is put in is not looked at again. The
// error shows no value and no default.
func (e *expander) expand(text string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		inner, isVariable := strings.CutPrefix(after, "{")
		if !isVariable {
			b.WriteByte('$')
			text = strings.TrimPrefix(after, "$")
			continue
		}
		reference, rest, closed := strings.Cut(inner, "}")
		if !closed {
			return "", errMalformed
		}
		value, err := e.resolve(reference)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		text = rest
	}
}

// resolve returns what stands for the inside of ${ and }.
func (e *expander) resolve(reference string) (string, error) {
	reference, isEnv := strings.CutPrefix(reference, "env:")
	name, alternative, hasDefault := strings.Cut(reference, ":-")
	switch {
	case !isEnv || !isVariableName(name):
		return "", errMalformed
	case strings.Contains(alternative, "${"):
		return "", errNested
	}
	value, set, err := e.variable(name)
	switch {
	case err != nil:
		return "", err
	case hasDefault && (!set || value == ""):
		return strings.ReplaceAll(alternative, "$$", "$"), nil
	case !set:
		return "", fmt.Errorf("the variable %s is not set: set it, or write ${env:%s:-default}", name, name)
	}
	return value, nil
}

// variable returns the value of a variable, and whether it is set.
func (e *expander) variable(name string) (string, bool, error) {
	value, set := e.getenv(name)
	if e.left -= len(value); e.left < 0 {
		return "", false, errExpanded
	}
	return value, set, nil
}

// maxVariable is the most characters of the name of a variable.
const maxVariable = 128

// isVariableName reports whether a name is one of the names that shells know
// variables by.
func isVariableName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', i > 0 && '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return name != "" && len(name) <= maxVariable
}
