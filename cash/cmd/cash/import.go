package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// importConfig turns configuration files of MCP clients into one for cash serve.
func importConfig(_ context.Context, env *environment, args []string) error {
	flags := newFlags()
	err := env.parse(page{"import FILE ...",
		`Prints a configuration for cash serve with the servers of MCP clients:

  mcpServers      of Claude Desktop, Claude Code (.mcp.json), Cursor (mcp.json)
  servers, inputs of VS Code (.vscode/mcp.json, and mcp in settings.json)

FILE may have comments; - is standard input. References to the environment stay
references. Secrets are not copied: standard error names the variables to set.`}, flags, args)
	if err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return usagef("name a file, such as ~/.cursor/mcp.json")
	}
	im := &importer{
		redact: redact.New(redact.DefaultRules()...), taken: make(map[string]*imported),
		secrets: map[string]string{"HOME": "${userHome}"},
	}
	if err := im.files(env, flags.Args()); err != nil {
		return err
	}
	text, err := im.text()
	if err != nil {
		return err
	}
	for _, note := range im.notes {
		fmt.Fprintln(env.stderr, clean.Line(note, 500))
	}
	if _, err = env.stdout.Write(text); err == nil {
		fmt.Fprintf(env.stderr, "servers: %d; next, try them with cash doctor -config FILE\n", len(im.servers))
	}
	return err
}

// An importer collects servers.
type importer struct {
	servers   []*imported
	taken     map[string]*imported // by canonical label
	notes     []string             // for the user, without secrets
	redact    *redact.Filter
	secrets   map[string]string // by variable in upper case; of the user's own variables, a mark
	inputs    map[string]string // the variables of VS Code's inputs, of the file that is read
	workspace string            // the folder of the project that the file is part of; empty if that is not known
}

// An imported server is an entry of upstreams (package config).
type imported struct {
	Label     string            `yaml:"label"`
	Endpoint  string            `yaml:"endpoint,omitempty"`
	Transport string            `yaml:"transport,omitempty"`
	Headers   map[string]string `yaml:"headers,omitempty"`
	Command   []string          `yaml:"command,omitempty,flow"`
	Dir       string            `yaml:"dir,omitempty"`
	Env       map[string]string `yaml:"env,omitempty"`
	Disabled  bool              `yaml:"disabled,omitempty"`
}

func (im *importer) note(s *imported, format string, args ...any) {
	im.notes = append(im.notes, s.Label+": "+fmt.Sprintf(format, args...))
}

// files reads files. All references come before all secrets: a variable of the user's own holds no secret of a file.
func (im *importer) files(env *environment, names []string) error {
	files := make([][]byte, len(names))
	inputs := make([][]string, len(names)) // their ids
	for i, name := range names {
		var err error
		if files[i], err = readFile(env, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		eachReference(files[i], func(ref string) {
			if id, ok := strings.CutPrefix(ref, "input:"); ok {
				inputs[i] = append(inputs[i], id)
			} else if m := plainRef.FindStringSubmatch(ref); m != nil {
				im.secrets[strings.ToUpper(m[1])] = "${" + ref + "}" // what the user has in it is no secret of a file
			}
		})
	}
	asked := make([]map[string]string, len(names))
	for i, name := range names {
		asked[i] = make(map[string]string)
		for _, id := range inputs[i] { // two inputs share no variable, for they have two answers
			asked[i][id] = im.variable(envName(id), envName(id), name+" ${input:"+id)
		}
	}
	for i, name := range names {
		im.inputs, im.workspace = asked[i], ""
		if name != "-" {
			im.workspace = workspace(name, env.getenv("HOME"))
		}
		if err := im.file(files[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// eachReference calls f with what stands between the braces of each reference in the strings of data.
func eachReference(data []byte, f func(ref string)) {
	switch strictjson.KindOf(data) {
	case strictjson.Object:
		for _, value := range strictjson.Members(data) {
			eachReference(value, f)
		}
	case strictjson.Array:
		for _, value := range strictjson.Elements(data) {
			eachReference(value, f)
		}
	case strictjson.String:
		for _, ref := range reference.FindAllString(strictjson.Text(data), -1) {
			f(ref[2 : len(ref)-1])
		}
	}
}

// readFile returns the JSON of a file.
func readFile(env *environment, name string) ([]byte, error) {
	var in io.Reader = env.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, errors.New("it cannot be read: " + cmp.Or(errors.Unwrap(err), err).Error())
		}
		defer f.Close()
		in = f
	}
	data, err := readAtMost(in, config.MaxBytes)
	if err != nil {
		return nil, err
	}
	data = withoutComments(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err := strictjson.Check(data); err != nil {
		return nil, err
	}
	return data, nil
}

// file reads the servers of a file.
func (im *importer) file(data []byte) error {
	for _, path := range [][]string{{"mcpServers"}, {"servers"}, {"mcp", "servers"}} {
		value := data
		for _, key := range path {
			if !isObject(value) {
				value = nil
				break
			}
			value = strictjson.Member(value, key)
		}
		if isObject(value) {
			return strictjson.EachMember(value, im.server)
		}
	}
	return errors.New("there is neither mcpServers nor servers; want the configuration of Claude, Cursor or VS Code")
}

// workspace returns the folder of the project that has a file as its own, such as .vscode/mcp.json or .mcp.json.
func workspace(name, home string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	folder := filepath.Dir(path)
	switch filepath.Base(folder) {
	case ".vscode", ".cursor":
		folder = filepath.Dir(folder)
	default:
		if filepath.Base(path) != ".mcp.json" {
			return ""
		}
	}
	if folder == home { // it is for all projects
		return ""
	}
	return folder
}

func isObject(data []byte) bool { return len(data) > 0 && strictjson.Trim(data)[0] == '{' }

// server reads one entry. One that is there already, from another file, is listed once.
func (im *importer) server(name string, value []byte) error {
	base, notes, secrets := label.From(name, "server"), len(im.notes), im.secrets
	for n := 1; ; n++ {
		s := &imported{Label: base}
		if n > 1 {
			s.Label = fmt.Sprintf("%s_%d", base, n)
		}
		im.notes, im.secrets = im.notes[:notes], maps.Clone(secrets)
		if err := im.entry(s, name, value); err != nil {
			return err
		}
		had := im.taken[label.Fold(s.Label)]
		if had == nil {
			im.taken[label.Fold(s.Label)] = s
			im.servers = append(im.servers, s)
			return nil
		}
		s.Label = had.Label
		if reflect.DeepEqual(had, s) {
			im.notes = im.notes[:notes]
			im.note(s, "it is there twice, and is listed once")
			return nil
		}
	}
}

// entry reads the entry with that name.
func (im *importer) entry(s *imported, name string, value []byte) error {
	if !isObject(value) {
		return fmt.Errorf("the server %q is no object", clean.Line(name, 80))
	}
	var program, kind string
	var args []string
	err := strictjson.EachMember(value, func(key string, v []byte) (err error) {
		switch key {
		case "command":
			program, err = text(key, v)
		case "args":
			args, err = texts(key, v)
		case "env":
			s.Env, err = im.pairs(s, key, v)
		case "headers":
			s.Headers, err = im.pairs(s, key, v)
		case "cwd":
			s.Dir, err = text(key, v)
			s.Dir = im.value(s, "cwd", "", s.Dir, envName(s.Label+"_cwd"))
		case "url", "serverUrl", "httpUrl":
			s.Endpoint, err = text(key, v)
		case "type", "transport":
			kind, err = text(key, v)
		case "disabled":
			s.Disabled = string(v) == "true"
		case "enabled":
			s.Disabled = string(v) == "false"
		default:
			im.note(s, "%q is left out; cash serve has no such setting for a server, or another one", clean.Line(key, 60))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the server %q: %w", clean.Line(name, 80), err)
	}
	switch {
	case program != "" && s.Endpoint == "":
		s.Command = im.command(s, append([]string{program}, args...))
	case program == "" && s.Endpoint != "":
		s.Endpoint = im.endpoint(s, s.Endpoint)
		if strings.EqualFold(kind, "sse") {
			s.Transport = "sse"
		}
	default:
		return fmt.Errorf("the server %q must have either a command or a url", clean.Line(name, 80))
	}
	return nil
}

func text(key string, v []byte) (string, error) {
	if len(v) == 0 || v[0] != '"' {
		return "", fmt.Errorf("%s must be a string", key)
	}
	return strictjson.Text(v), nil
}

func texts(key string, v []byte) ([]string, error) {
	if len(v) == 0 || v[0] != '[' {
		return nil, fmt.Errorf("%s must be a list of strings", key)
	}
	var list []string
	for _, e := range strictjson.Elements(v) {
		one, err := text("each of "+key, e)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// pairs reads variables or headers.
func (im *importer) pairs(s *imported, key string, v []byte) (map[string]string, error) {
	if !isObject(v) {
		return nil, fmt.Errorf("%s must be an object of strings", key)
	}
	pairs := make(map[string]string)
	err := strictjson.EachMember(v, func(name string, v []byte) error {
		value := string(v) // a number, or true
		if v[0] == '"' {
			value = strictjson.Text(v)
		}
		variable := envName(name)
		if key == "headers" {
			variable = envName(s.Label + "_" + name)
		}
		pairs[name] = im.value(s, key+"."+name, name, value, variable)
		return nil
	})
	if len(pairs) == 0 {
		return nil, err
	}
	return pairs, err
}

// command translates a command line. A secret follows the name of a flag, or stands in it or in NAME=VALUE.
func (im *importer) command(s *imported, line []string) []string {
	out := make([]string, len(line))
	for i, word := range line {
		name := ""
		if i > 0 && strings.HasPrefix(line[i-1], "-") && !strings.Contains(line[i-1], "=") {
			name = line[i-1]
		}
		prefix := ""
		if flag, value, ok := strings.Cut(word, "="); ok && named.MatchString(flag) {
			name, prefix, word = flag, flag+"=", value
		}
		variable := envName(fmt.Sprintf("%s_%s", s.Label, strings.Trim(cmp.Or(name, fmt.Sprintf("arg%d", i)), "-")))
		out[i] = im.refer(s, prefix, false) + im.value(s, fmt.Sprintf("argument %d", i), name, word, variable)
	}
	return out
}

func (im *importer) endpoint(s *imported, address string) string {
	if login := userinfo.FindString(address); login != "" {
		variable := im.variable(envName(s.Label+"_authorization"), envName(s.Label+"_url_authorization"), login)
		im.note(s, "the url holds a login, which is left out; set the variable %s to a value for the header Authorization", variable)
		address = userinfo.ReplaceAllString(address, "$1")
		if s.Headers == nil {
			s.Headers = make(map[string]string)
		}
		s.Headers["Authorization"] = "${env:" + variable + "}"
	}
	base, query, ok := strings.Cut(address, "?")
	base = im.value(s, "url", "", base, envName(s.Label+"_url"))
	if !ok {
		return base
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok && !im.secret("", name) {
			pairs[i] = im.refer(s, name, false) + "=" + im.value(s, "the url", name, value, envName(s.Label+"_"+name))
		} else {
			pairs[i] = im.value(s, "the url", "", pair, envName(fmt.Sprintf("%s_query%d", s.Label, i+1)))
		}
	}
	return base + "?" + strings.Join(pairs, "&")
}

var (
	userinfo = regexp.MustCompile(`(?i)^(https?://)[^/?#@]*@`)
	// scheme is the public part of the header Authorization.
	scheme = regexp.MustCompile(`^(?i)(bearer|basic|token) +`)
	// named finds what gives the value after an equals sign its name: a flag, or a variable.
	named     = regexp.MustCompile(`^(-.*|[A-Za-z_][A-Za-z0-9_]*)$`)
	reference = regexp.MustCompile(`\$\{[^{}]*\}`)
	plainRef  = regexp.MustCompile(`(?s)^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-.*)?$`)
	otherRef  = regexp.MustCompile(`^(input:.*|userHome|workspaceFolder|/|pathSeparator)$`)
)

// value translates a value. A secret becomes a reference to variable, and is told. So is one that is the default of a
// reference.
func (im *importer) value(s *imported, where, name, value, variable string) string {
	public := scheme.FindString(value)
	if private := value[len(public):]; im.secret(name, literal(private, false)) {
		variable = im.variable(variable, envName(s.Label+"_"+variable), private)
		im.note(s, "%s holds a secret, which is not copied; set the environment variable %s", where, variable)
		return public + "${env:" + variable + "}"
	}
	return im.refer(s, value, im.secret(name, literal(value[len(public):], true)))
}

// secret reports whether the value of a name is or holds a secret.
func (im *importer) secret(name, value string) bool {
	_, found := im.redact.Text(name + "=" + value)
	_, alone := im.redact.Text(value)
	return strings.TrimSpace(value) != "" && (config.SecretName(name) || found > 0 || alone > 0)
}

// literal returns a value without its references, or with their defaults in place. Unknown ones are texts.
func literal(value string, defaults bool) string {
	return reference.ReplaceAllStringFunc(value, func(ref string) string {
		inner := ref[2 : len(ref)-1]
		switch m := plainRef.FindStringSubmatch(inner); {
		case m != nil && defaults:
			return strings.TrimPrefix(m[2], ":-")
		case m != nil || otherRef.MatchString(inner):
			return ""
		}
		return ref
	})
}

// variable returns a variable for a secret: want, or other if want has another value, or other with a number.
func (im *importer) variable(want, other, secret string) string {
	name := want
	for n := 1; ; n++ {
		key := strings.ToUpper(name) // Windows takes a name in any case
		if had, ok := im.secrets[key]; !ok || had == secret {
			im.secrets[key] = secret
			return name
		}
		if name = other; n > 1 {
			name += fmt.Sprintf("_%d", n)
		}
	}
}

// refer translates references to the environment, and escapes other dollars. If drop is set, the defaults of references
// are parts of a secret.
func (im *importer) refer(s *imported, value string, drop bool) string {
	var b strings.Builder
	last := 0
	for _, at := range reference.FindAllStringIndex(value, -1) {
		b.WriteString(strings.ReplaceAll(value[last:at[0]], "$", "$$"))
		b.WriteString(im.reference(s, value[at[0]+2:at[1]-1], drop))
		last = at[1]
	}
	b.WriteString(strings.ReplaceAll(value[last:], "$", "$$"))
	return b.String()
}

// reference translates what stands between the braces.
func (im *importer) reference(s *imported, ref string, drop bool) string {
	if id, ok := strings.CutPrefix(ref, "input:"); ok {
		im.note(s, "the input %q becomes the environment variable %s", clean.Line(id, 60), im.inputs[id])
		return "${env:" + im.inputs[id] + "}"
	}
	switch ref {
	case "userHome":
		return "${env:HOME}"
	case "workspaceFolder":
		if im.workspace != "" {
			return strings.ReplaceAll(im.workspace, "$", "$$")
		}
		im.note(s, "${workspaceFolder} becomes the folder in which cash serve is started")
		return "."
	case "/", "pathSeparator":
		return string(filepath.Separator)
	}
	if m := plainRef.FindStringSubmatch(ref); m != nil {
		name, def := m[1], strings.ReplaceAll(m[2], "$", "$$")
		if value := strings.TrimPrefix(m[2], ":-"); value != "" && (drop || im.secret(name, value)) {
			im.note(s, "the default of ${%s} holds a secret, which is not copied; set the environment variable %s", name, name)
			def = ""
		}
		return "${env:" + name + def + "}"
	}
	im.note(s, "the reference ${%s} is unknown here and stays a text", clean.Line(ref, 60))
	return "$${" + ref + "}"
}

// envName returns a name for an environment variable.
func envName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// text returns the configuration, which package config has accepted.
func (im *importer) text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# For cash serve -config FILE. Package config of cash/upstream lists all keys.\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(map[string]any{"upstreams": im.servers}); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	set := func(string) (string, bool) { return "https://example.invalid", true }
	if _, err := config.Parse(b.Bytes(), &config.Options{File: "the imported configuration", Getenv: set}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// withoutComments replaces comments, and commas before a closing bracket, by blanks. Lines stay.
func withoutComments(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1 // the last comma, if only blanks follow
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := []byte("\n")
			if out[i+1] == '*' {
				end = []byte("*/")
			}
			stop := len(out)
			if n := bytes.Index(out[i+2:], end); n >= 0 {
				stop = i + 2 + n
				if len(end) == 2 {
					stop += 2
				}
			}
			for ; i < stop; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}
