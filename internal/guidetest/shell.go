package guidetest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// commands returns the commands of lines, with those joined that go on in the next line.
func commands(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		line := ""
		for _, l := range lines {
			head, more := strings.CutSuffix(l, `\`)
			if line += head; more {
				line = strings.TrimRight(line, " ") + " "
				continue
			}
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
			line = ""
		}
	}
}

// console returns a block of commands with what each prints.
func (r *reader) console(b *block) []string {
	r.t.Helper()
	var out []string
	for i := 0; i < len(b.lines); {
		if !strings.HasPrefix(b.lines[i], "$ ") {
			r.t.Fatalf("%s: a block of console begins with %q, not with a command", r.name, b.lines[i])
		}
		from := i
		for i++; i < len(b.lines) && strings.HasSuffix(b.lines[i-1], `\`); i++ {
		}
		out = append(out, b.lines[from:i]...)
		shown := i
		for ; i < len(b.lines) && !strings.HasPrefix(b.lines[i], "$ "); i++ {
		}
		r.mustHaveShown()
		var printed string
		for command := range commands(append([]string{b.lines[from][2:]}, b.lines[from+1:shown]...)) {
			if printed = r.run(command); strings.HasSuffix(command, " &") {
				printed = strings.Join(r.jobs[len(r.jobs)-1].Out.Take(r.t, i-shown), "\n")
			}
		}
		r.failed = nil // what it has printed is shown
		out = append(out, r.output(b, printed)...)
	}
	return out
}

var (
	assignment = regexp.MustCompile(`^(\w+)=(?:\$\(([^)]*)\)|("[^"]*"|'[^']*'|[^\s"'(]*))(?: +|$)`)
	variable   = regexp.MustCompile(`\$(\w+)`)
	word       = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
	part       = regexp.MustCompile(`'[^']*'|"[^"]*"|[^'"]+`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	errorFile  = regexp.MustCompile(` 2>\S+$`)
)

// run runs a command of the page and returns what it prints.
func (r *reader) run(line string) string {
	r.t.Helper()
	r.commands++
	command := line
	line, background := strings.CutSuffix(line, " &")
	output := errorFile.ReplaceAllString(line, "") // without standard error
	apart := output != line
	line, export := strings.CutPrefix(output, "export ")
	env, set := maps.Clone(r.exported), make(map[string]string)
	for m := assignment.FindStringSubmatch(line); m != nil; m = assignment.FindStringSubmatch(line) {
		if set[m[1]] = r.unquote(m[3]); m[2] != "" {
			set[m[1]] = strings.TrimRight(r.run(m[2]), "\n")
			r.mustHaveShown()
		}
		line = line[len(m[0]):]
	}
	if line == "" {
		maps.Copy(r.vars, set)
		if export {
			maps.Copy(r.exported, set)
		}
		return ""
	}
	maps.Copy(env, set)

	var args []string
	for _, w := range word.FindAllString(line, -1) {
		args = append(args, r.unquote(w))
	}
	var j *job
	if background {
		j = new(job)
	}
	switch {
	case strings.ContainsAny(quoted.ReplaceAllString(line, ""), "|<>;&(){}*?~`#"):
	case strings.HasPrefix(line, "openssl rand -hex "):
		n, _ := strconv.Atoi(args[len(args)-1])
		return strings.Repeat("01", min(n, 1024)) + "\n"
	case args[0] == "curl":
		return r.curl(args[1:])
	case args[0] == "kill":
		for _, number := range args[1:] {
			r.end(number)
		}
		return ""
	case len(args) > 2 && args[0] == "go" && args[1] == "run":
		return r.start(command, r.goRun(args[2], args[3:], j), env, j, apart)
	}
	text := r.input(line)
	if j != nil {
		text = "exec " + j.listening(text, r.addresses)
	}
	for name, value := range r.vars { // of the shell, not of its programs
		if _, own := set[name]; !own {
			text = name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'; " + text
		}
	}
	return r.start(command, exec.Command("sh", "-c", text), env, j, apart)
}

// unquote returns a word with the values of its variables, without its quotes.
func (r *reader) unquote(w string) string {
	return part.ReplaceAllStringFunc(w, func(p string) string {
		if p[0] == '\'' {
			return r.input(p[1 : len(p)-1])
		}
		if p[0] == '"' {
			p = p[1 : len(p)-1]
		}
		return r.input(variable.ReplaceAllStringFunc(p, func(v string) string { return r.vars[v[1:]] }))
	})
}

// goRun returns the command for go run.
func (r *reader) goRun(pkg string, args []string, j *job) *exec.Cmd {
	r.t.Helper()
	own := r.Dir == "" && filepath.Clean(filepath.FromSlash(pkg)) == r.self
	if own && r.Args != nil {
		args = r.Args(args)
	}
	for i, a := range args {
		if args[i] = r.input(a); j != nil {
			args[i] = j.listening(args[i], r.addresses)
		}
	}
	if own {
		return Command(args...)
	}
	file := filepath.Join(r.t.TempDir(), "program.exe")
	build := exec.Command("go", "build", "-o", file, pkg)
	build.Dir = r.dir
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return exec.Command(file, args...)
}

// start runs a program and returns what it prints. A job goes on.
func (r *reader) start(command string, cmd *exec.Cmd, env map[string]string, j *job, apart bool) string {
	r.t.Helper()
	cmd.Dir = r.dir
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, r.Env...)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if j != nil {
		r.begin(j, cmd, apart)
		return ""
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	shell := cmd.Args[0] == "sh"
	bounded := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	bounded.Dir, bounded.Env, bounded.WaitDelay = cmd.Dir, cmd.Env, patience
	cmd = bounded
	var out strings.Builder
	if cmd.Stdout = &out; apart {
		cmd.Stderr = io.Discard
	} else {
		cmd.Stderr = &out
	}
	if err := cmd.Run(); err != nil {
		r.failed = fmt.Errorf("%s: %s: %w\n%s", r.name, command, err, &out)
		if _, ended := err.(*exec.ExitError); !ended || ctx.Err() != nil || out.Len() == 0 {
			r.t.Fatal(r.failed)
		}
		if !apart && !shell {
			fmt.Fprintln(&out, err) // as go run does
		}
	}
	return out.String()
}

// curl sends a request and returns the body of the answer. The server sees the page's address in it.
func (r *reader) curl(args []string) string {
	r.t.Helper()
	method, url, body, header := http.MethodGet, "", "", http.Header{"Accept": {"*/*"}}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-s" || a == "-sS":
		case !strings.HasPrefix(a, "-"):
			url = a
		case i+1 == len(args):
			r.t.Fatalf("%s: curl has nothing after %s", r.name, a)
		case a == "-X":
			i++
			method = args[i]
		case a == "-H":
			i++
			name, value, _ := strings.Cut(args[i], ":")
			header.Set(name, strings.TrimSpace(value))
		case a == "-d":
			i++
			if body = args[i]; method == http.MethodGet {
				method = http.MethodPost
			}
		default:
			r.t.Fatalf("%s: curl has %s", r.name, a)
		}
	}
	if body != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = header
	for page, test := range r.addresses {
		if test == req.URL.Host {
			req.Host = page
		}
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // as curl does without -L
	res, err := (&http.Client{CheckRedirect: stay}).Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		r.t.Fatalf("%s: %v", url, err)
	}
	text := string(data)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
