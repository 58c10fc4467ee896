package skillmd

import (
	"encoding/json"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// dataLanguages are the tags of blocks that nothing executes (R71). "yml" is the other spelling of yaml. http is not here:
// only responses are data.
var dataLanguages = map[string]bool{
	"text": true, "txt": true, "md": true, "markdown": true, "json": true, "yaml": true, "yml": true,
	"toml": true, "csv": true, "mermaid": true,
}

// keepBlock decides over a fenced block by its tag and its content, containers and fences removed (R70-R75).
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

// keepIndented decides over a block that is code by its indent only.
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

// isScript finds what makes a block executable whatever its tag says (R74).
func isScript(content []string) bool {
	if strings.HasPrefix(firstText(content), "#!") {
		return true
	}
	var open map[string]bool // words of here-documents that have been opened
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

// heredoc returns the word that ends the here-document which the line opens, or "". A word in capitals written directly
// after << is one even if the end is missing; any other may be a shift operator until its end is seen.
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

// isData decides over an untagged block: JSON, a YAML mapping, a directory tree or a table, and no prompt (R73).
func isData(content []string) bool {
	for _, l := range content {
		if l = strings.TrimLeft(l, " \t"); strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, "> ") || l == "$" || l == ">" {
			return false
		}
	}
	text := strings.Join(content, "\n")
	return json.Valid([]byte(text)) || isTree(content) || isTable(content) || isYAMLMapping(text)
}

// maxYAMLBlock bounds what is handed to the YAML parser for a block without a tag.
const maxYAMLBlock = 16 << 10

func isYAMLMapping(text string) bool {
	if len(text) > maxYAMLBlock || !strings.Contains(text, ":") {
		return false
	}
	top, err := parseYAML(text)
	return err == nil && top != nil && top.Kind == yaml.MappingNode && plainKeys(top)
}

// plainKeys refuses mappings that only happen to be some: "if x: y" and "def f(): pass" are valid YAML.
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

// isTree recognises a directory tree: branches drawn with lines below at most one root,
// or bare paths below a first line that ends with a slash.
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

// isTable recognises rows between bars, and rows with as many bars as the rule below their header.
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
