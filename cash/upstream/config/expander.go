package config

import (
	"errors"
	"fmt"
	"strings"
)

// An expander replaces references to environment variables in texts.
type expander struct {
	getenv func(name string) (string, bool)
	left   int // bytes of values that may still be inserted
}

// maxExpanded bounds the bytes that all variables of a file insert.
const maxExpanded = 4 << 20

var (
	errMalformed = errors.New("a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves")
	errNested    = errors.New("a default with a variable in it: variables cannot be nested")
	errExpanded  = errors.New("the variables bring in more than 4 MiB: shorten their values")
)

// expand replaces ${env:NAME} and ${env:NAME:-default} by the value of the variable, and $$ by a dollar. The
// default is used if the variable is empty or not set. Inserted values are not expanded again. The error shows
// neither values nor defaults.
func (e *expander) expand(text string) (string, error) {
	var b strings.Builder
	err := scan(text, func(literal string) {
		b.WriteString(strings.ReplaceAll(literal, "$$", "$"))
	}, func(reference string) error {
		value, err := e.resolve(reference)
		b.WriteString(value)
		return err
	})
	if err != nil {
		return "", err
	}
	return b.String(), nil
}

// scan calls literal for the text between references, as it is written, and reference for what is between ${ and }.
func scan(text string, literal func(text string), reference func(text string) error) error {
	from := 0
	for {
		dollar := strings.IndexByte(text[from:], '$')
		if dollar < 0 {
			literal(text)
			return nil
		}
		dollar += from
		inner, isVariable := strings.CutPrefix(text[dollar+1:], "{")
		if !isVariable {
			from = dollar + 1
			if strings.HasPrefix(text[from:], "$") {
				from++
			}
			continue
		}
		inside, rest, closed := strings.Cut(inner, "}")
		if !closed {
			return errMalformed
		}
		literal(text[:dollar])
		if err := reference(inside); err != nil {
			return err
		}
		text, from = rest, 0
	}
}

// resolve returns the replacement for the text between ${ and }.
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

// isVariableName reports whether a shell accepts the name for a variable.
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
