package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of the files of a skill. Hosts need not load a skill beyond them (SEP-2640, Limits).
const (
	MaxSkillFiles = 512      // with SKILL.md
	MaxSkillSize  = 16 << 20 // bytes of all files
)

// SkillMD is the name of a skill's main file.
const SkillMD = "SKILL.md"

// A SkillFile is a text file of a skill.
type SkillFile struct {
	Path string // within the folder of the skill, with slashes
	Text string
	// Digest is the SHA-256 of Text in hexadecimal digits. It is set in an [AgentSkill].
	Digest string
}

// An AgentSkill is a skill as the skills extension of MCP serves it: a folder by the rules of Agent
// Skills (SEP-2640, Skill Format). It must not be modified.
type AgentSkill struct {
	// Name has lower-case letters, digits and single hyphens. It names the same skill for
	// [Source].Skill.
	Name string
	// Description is that of the front matter.
	Description string
	// FrontMatter is that of SKILL.md, as a JSON object.
	FrontMatter json.RawMessage
	// Files are SKILL.md and then the others by path. If Dynamic, SKILL.md has no Text here.
	Files []SkillFile
	// Dynamic reports whether the text of SKILL.md has inputs or is on another server.
	Dynamic bool

	head string // of SKILL.md, with its delimiters
}

// agentOnce makes the AgentSkill of a skill once for all its copies.
type agentOnce struct {
	once  sync.Once
	skill *AgentSkill
}

// Agent returns s as an Agent Skill. Nil if no such name leads to s: it is too long.
//
// The front matter is that of the skill's file as written. If it lacks name or description, or has
// another name than the skill, or if there is none, it is written anew.
func (s *Skill) Agent() *AgentSkill {
	if s.agent == nil {
		return s.newAgent()
	}
	s.agent.once.Do(func() { s.agent.skill = s.newAgent() })
	return s.agent.skill
}

// ReadSkillMD returns the text of SKILL.md. That of a [RemoteSkill] is fetched from its server. ctx
// bounds that.
func (s *Skill) ReadSkillMD(ctx context.Context) (string, error) {
	a := s.Agent()
	if a == nil {
		return "", NoSkill(s.namespace, s.name)
	}
	if !a.Dynamic {
		return a.Files[0].Text, nil
	}
	text, err := s.Render(ctx, nil)
	return a.head + text, err
}

func (s *Skill) newAgent() *AgentSkill {
	a := &AgentSkill{Name: agentName(s.Given()), Dynamic: !s.ready}
	if !isAgentName(a.Name) {
		return nil
	}
	written := s.remote == nil && s.describesItself(a.Name)
	if written {
		a.head, a.FrontMatter = "---\n"+s.head+"---\n\n", s.fields
	} else {
		a.head, a.FrontMatter = s.newHead(a.Name)
	}
	a.Description = strictjson.Text(strictjson.Member(a.FrontMatter, "description"))
	main := SkillFile{Path: SkillMD}
	switch {
	case a.Dynamic:
	case written && s.whole != "":
		main.Text = s.whole
	default:
		main.Text = a.head + s.text
	}
	a.Files = append([]SkillFile{main}, s.files...)
	for i := range a.Files {
		sum := sha256.Sum256([]byte(a.Files[i].Text))
		a.Files[i].Digest = hex.EncodeToString(sum[:])
	}
	return a
}

// describesItself reports whether the front matter of the skill's file is that of an Agent Skill
// with this name.
func (s *Skill) describesItself(name string) bool {
	return s.fields != nil && isText(s.fields, "name") == name && strings.TrimSpace(isText(s.fields, "description")) != ""
}

// isText returns the member of an object that is a text; empty if it is none.
func isText(object json.RawMessage, name string) string {
	if m := strictjson.Member(object, name); strictjson.KindOf(m) == strictjson.String {
		return strictjson.Text(m)
	}
	return ""
}

// plainKey matches the keys that YAML reads as texts without quotes, whatever its version.
var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{3,}$`)

// newHead writes front matter: name, description, and the other fields of the skill's file.
func (s *Skill) newHead(name string) (head string, fields json.RawMessage) {
	var yaml, object bytes.Buffer
	yaml.WriteString("---\n")
	object.WriteByte('{')
	add := func(key string, value []byte) {
		if object.Len() > 1 {
			object.WriteByte(',')
		}
		quoted := strictjson.AppendText(nil, key)
		fmt.Fprintf(&object, "%s:%s", quoted, value)
		if plainKey.MatchString(key) {
			quoted = []byte(key)
		}
		fmt.Fprintf(&yaml, "%s: %s\n", quoted, value)
	}
	add("name", strictjson.AppendText(nil, name))
	about := s.About()
	if s.remote != nil && s.describesItself(name) {
		about = isText(s.fields, "description")
	}
	add("description", strictjson.AppendText(nil, about))
	for key, value := range strictjson.Members(s.fields) {
		if key != "name" && key != "description" {
			add(key, value)
		}
	}
	yaml.WriteString("---\n\n")
	object.WriteByte('}')
	return yaml.String(), object.Bytes()
}

// agentName returns a skill's name by the rules of Agent Skills, which have no underscores.
func agentName(given string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(given), func(r rune) bool { return r == '_' || r == '-' }), "-")
}

var agentNameRule = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxAgentName = 64 // characters

func isAgentName(name string) bool {
	return len(name) <= maxAgentName && agentNameRule.MatchString(name)
}

// setFile takes over a SKILL.md. Its body is s.text.
func (s *Skill) setFile(data []byte) (err error) {
	s.head, s.fields, err = skillmd.FrontMatter(data)
	if text := string(data); err == nil && s.head != "" && strings.HasPrefix(text, "---") {
		s.whole = text
	}
	return err
}

// ForeignSkill makes a skill of a SKILL.md that another server serves, and of the other text files
// of its folder. Its name and description are those of the front matter. What [WithFiles] does not
// serve is left out. {{name}} is no input.
//
// Texts are cleaned of executable content and of invisible characters. A file in which there is
// none stays as it is, byte for byte. The errors name what is wrong and quote nothing.
func ForeignSkill(data []byte, files []SkillFile, opts ...SkillOption) (*Skill, error) {
	text, changed := cleaned(string(data), clean.Text)
	doc, err := skillmd.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	s := &Skill{name: doc.Name, description: doc.Description, text: doc.Body, foreign: true}
	if err := s.setFile([]byte(text)); err != nil {
		return nil, err
	}
	switch {
	case !isAgentName(isText(s.fields, "name")):
		return nil, errors.New("its front matter has no name of lower-case letters, digits and single hyphens")
	case !s.describesItself(doc.Name):
		return nil, errors.New("its front matter has no description")
	case changed: // otherwise the original stays
		s.whole = ""
	}
	for _, f := range files {
		if served, ok := servedFile(f, true); ok {
			s.files = append(s.files, served)
		}
	}
	if err := s.sortFiles(); err != nil {
		return nil, err
	}
	return s, s.apply(opts)
}

// Moved returns a copy of a [ForeignSkill], before it is added anywhere, as it reads elsewhere in a
// tree. text rewrites its texts, except for the front matter. Name and description are those of
// lists; another name than that of the front matter is left out.
func (s *Skill) Moved(name, description string, text func(string) string) *Skill {
	kept := *s
	if kept.description = description; agentName(name) == agentName(s.name) {
		kept.name = name
	}
	if kept.text = text(s.text); kept.text != s.text {
		kept.whole = ""
	}
	kept.files = slices.Clone(s.files)
	for i := range kept.files {
		switch f := &kept.files[i]; f.MediaType() {
		case "text/markdown", "text/plain":
			f.Text = text(f.Text)
		}
	}
	return &kept
}

// FrontMatter is the front matter of a [RemoteSkill], as a JSON object in canonical form whose texts have
// been cleaned. If the name in it differs from the skill's by hyphens alone, it becomes the skill's.
func FrontMatter(fields json.RawMessage) SkillOption { return frontMatter(fields) }

type frontMatter json.RawMessage

func (m frontMatter) applySkill(s *Skill) error {
	name := isText(json.RawMessage(m), "name")
	switch {
	case s.remote == nil:
		return errors.New("FrontMatter is for a RemoteSkill")
	case s.fields != nil:
		return errors.New("FrontMatter is given twice")
	case agentName(s.name) != name && strings.ReplaceAll(name, "-", "") == strings.ReplaceAll(agentName(s.name), "-", ""):
		s.name = name
	}
	s.fields = json.RawMessage(m)
	return nil
}

// cleaned returns text as f cleans it, or itself if f changes nothing but line ends.
func cleaned(text string, f func(string) string) (string, bool) {
	c := f(text)
	if c == strings.ReplaceAll(text, "\r\n", "\n") {
		return text, false
	}
	return c, true
}

// sortFiles sorts the files besides SKILL.md and checks their limits.
func (s *Skill) sortFiles() error {
	slices.SortFunc(s.files, func(a, b SkillFile) int { return strings.Compare(a.Path, b.Path) })
	size := len(s.text) + len(s.head)
	for i, f := range s.files {
		if i > 0 && f.Path == s.files[i-1].Path {
			return errors.New("it has a file twice")
		}
		size += len(f.Text)
	}
	switch {
	case len(s.files) >= MaxSkillFiles:
		return fmt.Errorf("it has more than %d files", MaxSkillFiles)
	case size > MaxSkillSize:
		return fmt.Errorf("its files have more than %d bytes in all", MaxSkillSize)
	}
	return nil
}

// fileTypes are the media types of the files that are served, by extension. Files that are run by
// their type are not among them.
var fileTypes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain",
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
	".csv": "text/csv", ".tsv": "text/tab-separated-values",
}

// MediaType returns the media type of a file of a skill. It is empty for types that are not served.
func (f SkillFile) MediaType() string { return fileTypes[strings.ToLower(path.Ext(f.Path))] }

// Served reports whether a file of a skill at this path may be served, besides SKILL.md: a text that
// is not in the folder scripts, and not hidden.
func (f SkillFile) Served() bool {
	return f.MediaType() != "" && f.Path != SkillMD && !strings.HasPrefix(f.Path, "scripts/") &&
		!strings.HasPrefix(f.Path, ".") && !strings.Contains(f.Path, "/.")
}

// servedFile returns a file as it is served. ok is false if it is not: because of its path, because
// it is no text, or because it is a script.
func servedFile(f SkillFile, foreign bool) (served SkillFile, ok bool) {
	if !f.Served() || !utf8.ValidString(f.Text) || strings.Contains(f.Text, "\x00") {
		return SkillFile{}, false
	}
	served = SkillFile{Path: f.Path, Text: f.Text}
	switch kind := f.MediaType(); {
	case kind == "text/markdown" || kind == "text/plain":
		if foreign {
			served.Text, _ = cleaned(f.Text, clean.Text)
		}
		if text, removed := skillmd.Strip(served.Text); len(removed) > 0 {
			served.Text = text
		}
	case strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(f.Text, "\ufeff"), " \t\r\n"), "#!"):
		return SkillFile{}, false
	case foreign:
		served.Text = clean.Content(f.Text)
	}
	return served, true
}
