package control

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// A glob matches dotted paths, label by label: '*' matches any characters within a label, and ** any number of labels,
// but at least one at the end.
type glob []string // labels, in lower case and without underscores

// maxGlob bounds a glob in bytes. Matching takes at most that many steps per byte of the path.
const maxGlob = 256

// anyLabels is the label that matches any number of labels.
const anyLabels = "**"

func parseGlob(text string) (glob, error) {
	if len(text) > maxGlob {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(text), maxGlob)
	}
	labels := strings.Split(text, ".")
	for i, label := range labels {
		folded, err := globLabel(label)
		if err != nil {
			return nil, err
		}
		labels[i] = folded
	}
	return labels, nil
}

func globLabel(text string) (string, error) {
	if text == anyLabels {
		return text, nil
	}
	if strings.Contains(text, anyLabels) {
		return "", errors.New("'**' stands for whole labels, as in orders.**")
	}
	var b []byte
	for i := range len(text) {
		switch c := text[i]; {
		case c == '*', 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z', c == '_':
			b = label.AppendFolded(b, text[i:i+1])
		default:
			return "", fmt.Errorf("%q at byte %d: labels have ASCII letters, digits, '_' and '*'", c, i)
		}
	}
	if len(b) == 0 {
		return "", errors.New("a label is empty")
	}
	if strings.Contains(string(b), anyLabels) { // from *_*
		return "", errors.New("'*' stands next to another one")
	}
	return string(b), nil
}

// match reports whether the glob matches a folded path. It does not allocate.
// The last ** met is the only one that may still have to take more.
func (g glob) match(path []byte) bool {
	rest, more := path, true // the labels that are left
	at := 0                  // the index in g
	retry := -1              // where to continue after ** has taken one more label
	var taken []byte         // the path after the labels that ** has taken
	for more {
		label, after, dot := bytes.Cut(rest, dotByte)
		switch {
		case at < len(g) && g[at] == anyLabels:
			if at == len(g)-1 {
				return true
			}
			at++
			retry, taken = at, rest
			continue
		case at < len(g) && matchLabel(g[at], label):
			at++
			rest, more = after, dot
		case retry >= 0:
			_, after, dot := bytes.Cut(taken, dotByte)
			at, taken, rest, more = retry, after, after, dot
		default:
			return false
		}
	}
	return at == len(g)
}

var dotByte = []byte{'.'}

// matchLabel reports whether a pattern matches one label.
func matchLabel(pattern string, label []byte) bool {
	p, i := 0, 0
	star, taken := -1, 0
	for i < len(label) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, taken = p, i
			p++
		case p < len(pattern) && pattern[p] == label[i]:
			p++
			i++
		case star >= 0:
			taken++
			p, i = star+1, taken
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
