// Package guidetest goes through a guide, the README.md of an example, as its reader does. It runs the commands of the
// page, and holds the page to what they print, to the source that it quotes, and to the files that it shows.
//
//	func TestMain(m *testing.M) { guidetest.Main(m, main) }
//
//	func TestReadme(t *testing.T) { new(guidetest.Guide).Test(t) }
//
// go test -run TestReadme -guide writes what the commands print into the page.
//
// # How a guide is written
//
// Blocks between fences are checked. Their first word says how:
//
//	sh         commands, one a line; a line that ends in \ goes on in the next one
//	text       what they have printed; of several such blocks, each has as many lines as it shows, the last one the rest
//	console    commands after "$ ", each with what it prints
//	text %1    what job 1 has printed since the last such block
//	text NAME  what [Guide.Output] says
//	go         a quotation from the source in the folder of the page; a blank line may stand for what is left out,
//	           indentation does not count
//	KIND FILE  in the module: a quotation from the file; in a folder of the guide's own ([Guide.Dir]): the whole file,
//	           or, if it is not there yet, one that the reader writes
//	KIND       not checked
//
// A word "elsewhere" after sh or console says that the commands are not run, as in "sh elsewhere": they need more than
// Go. Indented blocks are not checked either.
//
// Commands run in the root of the module, as in
//
//	export KEY=$(openssl rand -hex 32)
//	go run ./examples/embed -addr 127.0.0.1:8080 2>service.log &
//	curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/readyz
//	kill %1
//
// The test binary stands for the program of its own folder, so that no other one is linked. Other programs of go run are
// built. Variables, curl with -X, -H and -d, openssl rand, jobs and 2>FILE are known here. Other commands run in a
// shell, which sees the variables.
//
// A block shows standard output and error. After 2>FILE, it shows standard output only; the file is not written. A
// command may fail if the page shows what it has printed. A job must end without an error, by kill or with the test.
//
// # Addresses
//
// A page names addresses of this machine with a port, such as 127.0.0.1:8080. The test takes free ones in their place.
// The argument of a job that is an address, and nothing else, is the one where it listens. It becomes 127.0.0.1:0, and
// the first address that the job prints is the one it has got. A program must print it, and take it as an argument;
// where the page leaves that to a default, [Guide.Args] adds it.
//
// # Limits
//
// A command has two minutes, and so has a wait for a line of a job. A line has one command. Assignments, quotes and
// $(COMMAND) work as in a shell; what else a shell expands, only those commands see that run in one.
package guidetest

import (
	"cmp"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("guide", false, "write what the commands of guides print into them")

// program makes the test binary a program.
const program = "GUIDETEST_PROGRAM"

// Main runs the tests. In a process of [Command], or if the first argument is not one of go test, it runs main.
func Main(m *testing.M, main func()) {
	if os.Getenv(program) != "" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A Guide is a page with what its test knows beyond it. The zero value is README.md, in the module's root.
type Guide struct {
	// Page is the file. Empty is README.md.
	Page string
	// Dir is a folder of the guide's own, where commands run and files are written. Empty is the module's root, where
	// nothing is written.
	Dir string
	// Env are variables of all commands, as NAME=VALUE, beside those of this process.
	Env []string
	// Addresses are those of servers of the test, by the page's.
	Addresses map[string]string

	// Args, if not nil, is given the arguments of this folder's program, and returns them with what the page leaves to
	// defaults.
	Args func(args []string) []string
	// Input, if not nil, returns what a command line or a file of the page is in the test, such as with other paths.
	Input func(page string) string
	// Output, if not nil, returns what stands in a block of output for what was printed. The block is the line after
	// the fence, such as "text %1". For a block that only the test knows, printed is empty.
	Output func(block, printed string) string
	// Same, if not nil, returns what of a page must be the same.
	Same func(page string) string

	reader *reader // while it is tested
}

// Test goes through the page.
func (g *Guide) Test(t *testing.T) {
	t.Helper()
	name := cmp.Or(g.Page, "README.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(data), "\r\n", "\n")
	r := newReader(t, g, name)
	g.reader = r
	got := r.read(page)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if r.commands == 0 && r.quotes == 0 {
		t.Errorf("%s has neither commands nor quotations", name)
	}
	if g.Same != nil {
		page, got = g.Same(page), g.Same(got)
	}
	want, have := strings.Split(page, "\n"), strings.Split(got, "\n")
	for i := range max(len(want), len(have)) {
		if i >= len(want) || i >= len(have) || want[i] != have[i] {
			t.Fatalf("%s, line %d: the page says\n%s\nand it is\n%s", name, i+1, some(want, i), some(have, i))
		}
	}
}

// some returns a few lines from the ith on.
func some(lines []string, i int) string {
	i = min(i, len(lines))
	return strings.Join(lines[i:min(i+8, len(lines))], "\n")
}

// A reader goes through a page.
type reader struct {
	*Guide
	t    *testing.T
	name string // of the page
	dir  string // where commands run
	self string // the folder of the page's program, below dir

	vars, exported map[string]string // of the shell
	addresses      map[string]string // of the test, by the page's
	jobs           []*job            // job 1 first

	printed  string // by the last block of commands, and not shown yet
	failed   error  // of its last command that failed, and what it printed is not shown yet
	commands int
	quotes   int
}

func newReader(t *testing.T, g *Guide, name string) *reader {
	t.Helper()
	r := &reader{Guide: g, t: t, name: name, dir: g.Dir, vars: make(map[string]string), exported: make(map[string]string), addresses: maps.Clone(g.Addresses)}
	if r.addresses == nil {
		r.addresses = make(map[string]string)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := here
	for ; !exists(filepath.Join(root, "go.mod")); root = filepath.Dir(root) {
		if root == filepath.Dir(root) {
			t.Fatal("the test is in no module")
		}
	}
	if r.dir == "" {
		r.dir = root
	}
	if r.self, err = filepath.Rel(root, here); err != nil {
		t.Fatal(err)
	}
	return r
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A block is one between fences.
type block struct {
	info  string // the line after the fence
	kind  string // its first word
	name  string // the second one
	lines []string
}

// read returns the page with what its blocks should have.
func (r *reader) read(page string) string {
	r.t.Helper()
	var out []string
	var b *block
	all := strings.Split(page, "\n")
	for i, line := range all {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && b == nil:
			words := append(strings.Fields(info), "", "")
			b = &block{info: info, kind: words[0], name: words[1]}
			out = append(out, line)
		case fence:
			out = append(out, r.block(b, r.last(all[i+1:]))...)
			out, b = append(out, line), nil
		case b != nil:
			b.lines = append(b.lines, line)
		default:
			out = append(out, line)
		}
	}
	if b != nil {
		r.t.Fatalf("%s: the block of %q does not end", r.name, b.info)
	}
	r.mustHaveShown()
	return strings.Join(out, "\n")
}

// last reports whether no block of the rest shows more of what the last commands have printed.
func (r *reader) last(rest []string) bool {
	for _, line := range rest {
		switch info, fence := strings.CutPrefix(line, "```"); {
		case fence && info == "text":
			return false
		case fence && (info == "sh" || info == "console"):
			return true
		}
	}
	return true
}

// mustHaveShown fails if a command has failed and the page does not show how.
func (r *reader) mustHaveShown() {
	r.t.Helper()
	if r.failed != nil {
		r.t.Fatal(r.failed)
	}
}

// block returns the lines of a block as they should be.
func (r *reader) block(b *block, last bool) []string {
	r.t.Helper()
	switch {
	case b.info == "sh":
		r.mustHaveShown()
		r.printed = ""
		for command := range commands(b.lines) {
			r.printed += r.run(command)
		}
	case b.info == "console":
		r.mustHaveShown()
		return r.console(b)
	case b.info == "text":
		r.failed = nil
		shown := r.printed
		if !last {
			shown, r.printed = first(r.printed, len(b.lines))
		}
		return r.output(b, shown)
	case b.kind == "text" && strings.HasPrefix(b.name, "%"):
		return r.output(b, strings.Join(r.job(b.name).Out.Take(r.t, len(b.lines)), "\n"))
	case b.kind == "text" && b.name != "" && r.Output != nil:
		return r.output(b, "")
	case b.kind == "sh" || b.kind == "console" || b.kind == "text":
		if b.name != "elsewhere" || b.kind == "text" {
			r.t.Fatalf("%s has a block of %q", r.name, b.info)
		}
	case b.info == "go":
		r.quote(b, "")
	case b.kind == "":
		r.t.Fatalf("%s has a block without a word that says what is in it", r.name)
	case b.name != "" && r.Dir == "":
		r.quote(b, filepath.Join(r.dir, filepath.FromSlash(b.name)))
	case b.name != "":
		return r.file(b)
	}
	return b.lines
}

// first cuts n lines off a text.
func first(text string, n int) (head, rest string) {
	lines := strings.SplitAfter(text, "\n")
	n = min(n, len(lines))
	return strings.Join(lines[:n], ""), strings.Join(lines[n:], "")
}

// output returns the lines of what was printed, with the page's addresses and words.
func (r *reader) output(b *block, printed string) []string {
	r.t.Helper()
	byTest := make(map[string]string)
	for page, test := range r.addresses {
		byTest[test] = page
	}
	printed = replaceAddresses(printed, byTest)
	if r.Output != nil {
		printed = r.Output(b.info, printed)
	}
	if printed = strings.TrimRight(printed, "\n"); printed == "" {
		return nil
	}
	return strings.Split(printed, "\n")
}

// input returns what a text of the page is in the test.
func (r *reader) input(text string) string {
	if r.Input != nil {
		text = r.Input(text)
	}
	return replaceAddresses(text, r.addresses)
}

var address = regexp.MustCompile(`\b(?:127\.0\.0\.1|localhost):\d+\b`)

// replaceAddresses replaces whole addresses: a free port may begin like one of the page.
func replaceAddresses(text string, by map[string]string) string {
	return address.ReplaceAllStringFunc(text, func(a string) string { return cmp.Or(by[a], a) })
}

// file writes a file of the guide's folder, or returns the lines of the one that is there.
func (r *reader) file(b *block) []string {
	r.t.Helper()
	if !filepath.IsLocal(b.name) {
		r.t.Fatalf("%s: %q is not below the guide's folder", r.name, b.name)
	}
	name := filepath.Join(r.dir, filepath.FromSlash(b.name))
	if data, err := os.ReadFile(name); err == nil {
		return r.output(b, string(data))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(r.input(strings.Join(b.lines, "\n")+"\n")), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return b.lines
}

// quote holds the parts of a block to a file, or, without a name, to the source in the folder of the page.
func (r *reader) quote(b *block, name string) {
	r.t.Helper()
	r.quotes++
	files := []string{name}
	if name == "" {
		files = r.sources()
	}
	var texts []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		texts = append(texts, "\n"+flat(strings.ReplaceAll(string(data), "\r\n", "\n")))
	}
	for part := range strings.SplitSeq(flat(strings.Join(b.lines, "\n")), "\n\n") {
		part = "\n" + strings.Trim(part, "\n") + "\n"
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) }) {
			r.t.Errorf("%s quotes what is not in %s:\n%s", r.name, cmp.Or(name, "the source"), part)
		}
	}
}

var indentation = regexp.MustCompile(`(?m)^[\t ]+`)

func flat(text string) string { return indentation.ReplaceAllString(text, "") }

// sources returns the files of Go in the folder of the page and below it.
func (r *reader) sources() []string {
	r.t.Helper()
	var list []string
	err := filepath.WalkDir(filepath.Dir(r.name), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}
