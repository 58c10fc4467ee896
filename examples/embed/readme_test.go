package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the code blocks of the README in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1) {
		list = append(list, m[1])
	}
	if len(list) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return list
}

// The README quotes the source as it is, but for the indentation.
func TestReadmeQuotes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	flat := func(text string) string { return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(text, "") }
	var source strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			source.WriteString(flat(string(data)))
		}
	}
	for _, block := range blocks(t, "go") {
		if !strings.Contains(source.String(), flat(block)) {
			t.Errorf("README.md quotes what is not in the source:\n%s", block)
		}
	}
}

// The commands of the README print what it says.
func TestReadmeCommands(t *testing.T) {
	for _, block := range blocks(t, "console") {
		sh := &shell{t: t, vars: map[string]string{}}
		var printed, want strings.Builder
		for line := range strings.Lines(block) {
			want.WriteString(line)
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				printed.WriteString(line)
				printed.WriteString(sh.run(strings.TrimSpace(command)))
			}
		}
		if printed.String() != want.String() {
			t.Errorf("the commands print\n%s\nwant\n%s", printed.String(), want.String())
		}
	}
}

// shell runs the few forms of commands that the README has.
type shell struct {
	t       *testing.T
	vars    map[string]string
	service string // where the service really listens
}

var (
	assignment = regexp.MustCompile(`^(?:export )?(\w+)=\$\((.*)\)$`)
	word       = regexp.MustCompile(`"[^"]*"|\S+`)
	variable   = regexp.MustCompile(`\$(\w+)`)
)

// run returns what a command prints.
func (s *shell) run(command string) string {
	s.t.Helper()
	if m := assignment.FindStringSubmatch(command); m != nil {
		s.vars[m[1]] = strings.TrimSpace(s.run(m[2]))
		return ""
	}
	var words []string
	for _, w := range word.FindAllString(command, -1) {
		words = append(words, variable.ReplaceAllStringFunc(strings.Trim(w, `"`), func(v string) string { return s.vars[v[1:]] }))
	}
	switch {
	case command == "openssl rand -hex 32":
		return testKeys
	case command == "go run ./examples/embed &":
		return s.start()
	case strings.HasPrefix(command, "go run ./examples/embed "):
		var out strings.Builder
		if err := run(s.t.Context(), words[3:], s.env, &out, io.Discard); err != nil {
			s.t.Fatal(err)
		}
		return out.String()
	case words[0] == "curl":
		return s.curl(words[1:])
	}
	s.t.Fatalf("what does %q do?", command)
	return ""
}

func (s *shell) env(name string) string { return s.vars[name] }

// start starts the service on a free port. It prints as if it had the port of the README.
func (s *shell) start() string {
	const addr = "127.0.0.1:8080"
	out, ended := make(firstLine, 1), make(chan error, 1)
	go func() {
		ended <- run(s.t.Context(), []string{"-addr", "127.0.0.1:0", "-url", "http://" + addr}, s.env, out, io.Discard)
	}()
	s.t.Cleanup(func() { <-ended }) // the test's context ends first
	select {
	case line := <-out:
		s.service = regexp.MustCompile(`[\d.]+:\d+`).FindString(line)
		return strings.Replace(line, s.service, addr, 1)
	case err := <-ended:
		s.t.Fatal(err)
		return ""
	}
}

// curl sends a request and returns the body of the answer.
func (s *shell) curl(args []string) string {
	s.t.Helper()
	method, address, header := "GET", "", http.Header{}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-X":
			i++
			method = args[i]
		case "-H":
			i++
			name, value, _ := strings.Cut(args[i], ": ")
			header.Set(name, value)
		default:
			address = args[i]
		}
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, address, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header, r.Host, r.URL.Host = header, r.URL.Host, s.service
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}
