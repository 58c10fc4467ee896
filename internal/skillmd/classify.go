package skillmd

import (
	"encoding/json"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// This file decides which code blocks of a skill are served: data stays, code goes (rules R70 to R75 of the package
// comment). Strip (blocks.go) calls keepBlock.

// dataLanguages are the tags of blocks that nothing executes (R71). "yml" also means yaml. http is missing, because
// only responses are data.
var dataLanguages = map[string]bool{
	"text": true, "txt": true, "md": true, "markdown": true, "json": true, "yaml": true, "yml": true,
	"toml": true, "csv": true, "mermaid": true,
}

// keepBlock reports whether a fenced block stays, by its tag and its bare content (R70-R75).
func keepBlock(f fence, content []string) bool {
	switch lang := f.language(); {
	case f.command() || isScript(content):
		return false
	case onlyInvocations(strings.Join(content, "\n")):
		return true
	case lang == "http":
		return strings.HasPrefix(firstText(content), "HTTP/")
	case f.tagged():
		return dataLanguages[lang]
	}
	return isData(content)
}

// keepIndented reports whether an indented block stays.
func keepIndented(content []string) bool {
	return keepBlock(fence{}, content)
}

func firstText(content []string) string {
	for _, l := range content {
		if l = strings.Trim(l, " \t\ufeff"); l != "" {
			return l
		}
	}
	return ""
}

// isScript reports whether content is executable whatever its tag says (R74).
func isScript(content []string) bool {
	if strings.HasPrefix(firstText(content), "#!") {
		return true
	}
	var open map[string]bool // words of open here-documents
	for _, l := range content {
		if open[strings.TrimSpace(l)] {
			return true
		}
		if word, sure := heredoc(l); sure {
			return true
		} else if word != "" {
			if open == nil {
				open = map[string]bool{}
			}
			open[word] = true
		}
	}
	return false
}

var heredocMark = regexp.MustCompile(`(?:^|[^<])<<([-~]?)([ \t]*)(['"\\]?)([A-Za-z_][A-Za-z0-9_]*)`)

// heredoc returns the end word of the here-document that a line opens, or "". If sure is false, << may be a shift
// operator unless the end is found. A capitalised word directly after << is sure.
func heredoc(text string) (word string, sure bool) {
	if !strings.Contains(text, "<<") {
		return "", false
	}
	for _, m := range heredocMark.FindAllStringSubmatch(text, -1) {
		word = m[4]
		if m[2] == "" && len(word) > 1 && word == strings.ToUpper(word) {
			return word, true
		}
	}
	return word, false
}

// isData reports whether an untagged block is JSON, a YAML mapping, a directory tree or a table, and not a prompt
// (R73).
func isData(content []string) bool {
	for _, l := range content {
		if l = strings.TrimLeft(l, " \t"); strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, "> ") || l == "$" || l == ">" {
			return false
		}
	}
	text := strings.Join(content, "\n")
	return json.Valid([]byte(text)) || isTree(content) || isTable(content) || isYAMLMapping(text)
}

// maxYAMLBlock bounds an untagged block that is parsed as YAML, in bytes.
const maxYAMLBlock = 16 << 10

func isYAMLMapping(text string) bool {
	if len(text) > maxYAMLBlock || !strings.Contains(text, ":") {
		return false
	}
	top, err := parseYAML(text)
	return err == nil && top != nil && top.Kind == yaml.MappingNode && plainKeys(top)
}

// plainKeys rejects accidental mappings: "if x: y" and "def f(): pass" are valid YAML.
func plainKeys(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && !isPlainKey(child.Value) {
			return false
		}
		if !plainKeys(child) {
			return false
		}
	}
	return true
}

var keywords = map[string]bool{
	"if": true, "elif": true, "else": true, "for": true, "while": true, "do": true, "def": true, "class": true, "try": true,
	"except": true, "finally": true, "with": true, "lambda": true, "async": true, "match": true, "switch": true,
	"case": true, "import": true, "return": true, "function": true, "func": true,
}

func isPlainKey(key string) bool {
	first, _, _ := strings.Cut(key, " ")
	return key != "" && !keywords[strings.ToLower(first)] && !strings.ContainsAny(key, "();$`=|&<>{}\\")
}

var (
	treeBranch = regexp.MustCompile("^[ \t|\u2502\u00a0]*(\u251c|\u2514|\\|-|\\+-|`-)[-\u2500]*[ \u00a0]\\S")
	treeTrunk  = regexp.MustCompile("^[ \t|\u2502\u00a0]*$")
	treePath   = regexp.MustCompile(`^[ \t]*[\w./@~-]+([ \t]+#.*)?$`)
)

// isTree reports whether content is a directory tree: lines of branches below at most one root, or bare paths below a
// first line that ends with a slash.
func isTree(content []string) bool {
	branches, paths, dirs, root := 0, 0, 0, false
	for _, l := range content {
		switch {
		case treeBranch.MatchString(l):
			branches++
		case treeTrunk.MatchString(l):
		case treePath.MatchString(l):
			path, _, _ := strings.Cut(strings.TrimLeft(l, " \t"), " ")
			if branches+paths == 0 {
				root = strings.HasSuffix(path, "/")
			}
			if strings.ContainsAny(path, "./") {
				dirs++
			}
			paths++
		default:
			return false
		}
	}
	if branches > 0 {
		return paths <= 1 && branches+paths > 1
	}
	return root && paths > 1 && dirs == paths
}

var tableRule = regexp.MustCompile(`^[ \t]*[|+]?[ \t]*:?-+[-:|+ \t]*$`)

// isTable reports whether content is rows between bars, or rows with as many bars as the rule below their header.
func isTable(content []string) bool {
	rows := 0
	framed := true
	for _, l := range content {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		rows++
		border := len(l) > 1 && (l[0] == '|' && l[len(l)-1] == '|' || l[0] == '+' && tableRule.MatchString(l))
		framed = framed && border
	}
	return rows > 1 && (framed || isRuledTable(content))
}

func isRuledTable(content []string) bool {
	if len(content) < 2 || !tableRule.MatchString(content[1]) {
		return false
	}
	bars := strings.Count(content[1], "|") + strings.Count(content[1], "+")
	for i, l := range content {
		if i != 1 && strings.TrimSpace(l) != "" && strings.Count(l, "|") != bars {
			return false
		}
	}
	return bars > 0
}
