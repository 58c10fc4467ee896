package cashtext

import (
	"regexp"
	"strings"
)

var (
	// ours matches lines about functions and skills, as opposed to namespaces of other things.
	ours = regexp.MustCompile(`(?i)\b(?:functions?|skills?)\b|\b(?:no|unknown|invalid|such) namespace\b|\b(?:call|help|skill)\(`)
	// placed matches a path after a word that says what it is.
	placed = regexp.MustCompile("(?i)\\b(?:namespaces?|(?:functions?|skills?) in) `([\\w.]+)`")
	// alone matches arguments of an invocation without its tool.
	alone = regexp.MustCompile("`namespace\\s*[=:]\\s*[\"'“‘]([\\w.]*)[\"'”’]\\s*,\\s*(?:function|skillname|name)\\b")
	// unknown matches the kind of thing that was not found, for the suggestion after it.
	unknown = regexp.MustCompile(`(?i)\b(?:no|unknown|invalid|such) (namespace|function|skill)\b`)
	// suggested matches one suggestion.
	suggested = regexp.MustCompile("`([\\w.]+)`( in namespace| without a namespace)?")
)

const (
	atTheRoot  = "in the root namespace"
	didYouMean = "Did you mean "
)

// sentences rewrites paths, line by line, if the words around them mark them as paths.
func (m Mount) sentences(text string) []edit {
	var edits []edit
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		line := text[start:end]
		if strings.IndexByte(line, '`') >= 0 && ours.MatchString(line) {
			edits = append(edits, m.sentence(text, start, end)...)
		}
		start = end + 1
	}
	return edits
}

func (m Mount) sentence(text string, start, end int) []edit {
	var edits []edit
	line := text[start:end]
	for _, pattern := range []*regexp.Regexp{placed, alone} {
		for _, at := range pattern.FindAllStringSubmatchIndex(line, -1) {
			if e, ok := m.move(text, start+at[2], start+at[3]); ok && (e.text != "" || pattern == alone) {
				edits = append(edits, e)
			}
		}
	}
	if m.atRoot() {
		edits = append(edits, replaceAll(line, start, atTheRoot, "in namespace `"+m.To+"`")...)
	}
	if i := strings.Index(line, didYouMean); i >= 0 {
		edits = append(edits, m.suggestions(text, start, start+i, end)...)
	}
	return edits
}

// replaceAll returns edits that replace old by text in a line that begins at start.
func replaceAll(line string, start int, old, text string) []edit {
	var edits []edit
	for at := 0; ; {
		i := strings.Index(line[at:], old)
		if i < 0 {
			return edits
		}
		at += i
		edits = append(edits, edit{start + at, start + at + len(old), text})
		at += len(old)
	}
}

// suggestions rewrites the suggestions at i in the line text[start:end]. A name with dots is a path. Another name
// is a namespace if one was looked for.
func (m Mount) suggestions(text string, start, i, end int) []edit {
	if n := strings.IndexByte(text[i:end], '?'); n >= 0 {
		end = i + n
	}
	var edits []edit
	namespaces := asksForNamespace(text[start:i])
	for _, at := range suggested.FindAllStringSubmatchIndex(text[i:end], -1) {
		name, after := text[i+at[2]:i+at[3]], ""
		if at[4] >= 0 {
			after = text[i+at[4] : i+at[5]]
		}
		switch {
		case after == " without a namespace" && m.atRoot():
			edits = append(edits, edit{i + at[4], i + at[5], " in namespace `" + m.To + "`"})
		case after == "" && (namespaces || strings.Contains(name, ".")):
			if e, ok := m.move(text, i+at[2], i+at[3]); ok && e.text != "" {
				edits = append(edits, e)
			}
		}
	}
	return edits
}

// asksForNamespace reports whether the last unknown thing in the text is a namespace.
func asksForNamespace(text string) bool {
	all := unknown.FindAllStringSubmatch(text, -1)
	return all != nil && strings.EqualFold(all[len(all)-1][1], "namespace")
}
