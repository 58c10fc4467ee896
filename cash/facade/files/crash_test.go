package files_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv("FILES_TEST_CRASH"); spec != "" {
		crashingLife(spec)
		return
	}
	os.Exit(m.Run())
}

// The commit that is killed: it overwrites, creates in folders that are there and
// in ones that are not, and writes what a file has already.
var (
	oldFiles = map[string]string{"a": "old a", "dir/b": strings.Repeat("old b\n", 10), "same": "same", "keep": "keep", "dir/": ""}
	newFiles = map[string]string{
		"a": "new a", "dir/b": "new b", "same": "same", "keep": "keep", "dir/": "", "dir/new": "new",
		"x/": "", "x/y/": "", "x/y/one": "1", "x/two": "2",
	}
)

func newContents() (content []string) {
	for _, p := range []string{"a", "x/y/one", "dir/b", "same", "dir/new", "x/two"} {
		content = append(content, p, newFiles[p])
	}
	return content
}

// live opens the files of a folder, commits and closes. It returns the errors.
func live(dir string, fault func(op, name string) error) (open, commit, end error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err, nil, nil
	}
	defer root.Close()
	f, err := files.OpenFaulty(root, nil, fault)
	if err != nil {
		return err, nil, nil
	}
	return nil, commitNew(f), f.Close()
}

func commitNew(f *files.Files) error {
	pipe := pipeline(f)
	content := newContents()
	var paths []string
	for i := 0; i < len(content); i += 2 {
		paths = append(paths, content[i])
	}
	out, err := call(context.Background(), pipe, "roundtrip_start", object{"paths": paths})
	if err != nil {
		return err
	}
	_, err = call(context.Background(), pipe, "roundtrip_commit", commitArgs(out["manifestId"].(string), "replace", content...))
	return err
}

// TestF15CommitSurvivesTheEndOfItsProcess kills a process before each step it does
// on the disk: the next start finds either all files old or all new. A loss of
// power may, besides, take away what had not been flushed: the ends of files, and
// changes of names, all of them or some. The next start may be killed likewise.
func TestF15CommitSurvivesTheEndOfItsProcess(t *testing.T) {
	for _, mode := range []string{"kill", "names", "some names"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			seen := make(map[string]bool)
			for n := 1; ; n++ {
				dir := oldFolder(t)
				told := crash(t, mode, n, dir, "commit")
				if n%3 == 0 {
					crash(t, mode, 1+rand.IntN(40), dir, "open")
				}
				state := settled(t, dir)
				if seen[state] = true; told == "committed\n" && state != "new" {
					t.Errorf("what was committed is %s", state)
				}
				if t.Failed() {
					t.Fatalf("at step %d", n)
				}
				if told == "committed\nclosed\n" {
					if n < 60 || !seen["old"] || !seen["new"] {
						t.Errorf("finished after %d steps; seen: %v", n, seen)
					}
					return
				}
			}
		})
	}
}

// settled opens the files that something has happened to, and checks that all are
// old or all new, that nothing else lies about, and that they can be written again.
func settled(t *testing.T, dir string) (state string) {
	t.Helper()
	store := filepath.Join(dir, "root")
	root, err := os.OpenRoot(store)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := files.Open(root, nil)
	if err != nil {
		t.Fatalf("the files do not open: %v", err)
	}
	switch got := tree(t, store); {
	case reflect.DeepEqual(got, oldFiles):
		state = "old"
	case reflect.DeepEqual(got, newFiles):
		state = "new"
	default:
		t.Errorf("the files are %q", got)
	}
	if info, err := os.Stat(filepath.Join(store, "a")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of a: %v, %v", info.Mode(), err)
	}
	if err := commitNew(f); err != nil {
		t.Errorf("committing again: %v", err)
	}
	if got := tree(t, store); !reflect.DeepEqual(got, newFiles) {
		t.Errorf("after another commit the files are %q", got)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	return state
}

// oldFolder makes the files as they are before.
func oldFolder(t *testing.T) string {
	t.Helper()
	dir := scratch(t)
	w := &world{t: t, dir: filepath.Join(dir, "root")}
	for p, content := range oldFiles {
		if !strings.HasSuffix(p, "/") {
			w.write(p, content)
		}
	}
	if err := os.Chmod(filepath.Join(w.dir, "a"), 0o640); err != nil {
		t.Fatal(err)
	}
	return dir
}

// crash runs a process that dies before its step n. It returns what that has told.
func crash(t *testing.T, mode string, n int, dir, what string) (told string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILES_TEST_CRASH="+strings.Join([]string{mode, strconv.Itoa(n), what, dir}, ","))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if stderr.Len() > 0 {
		t.Fatalf("the process ends with %v: %s", err, &stderr)
	}
	return string(out)
}

// crashingLife is the main function of such a process.
func crashingLife(spec string) {
	words := strings.SplitN(spec, ",", 4)
	n, _ := strconv.Atoi(words[1])
	p := &power{mode: words[0], dir: filepath.Join(words[3], "root"), copies: filepath.Join(words[3], words[2])}
	if err := os.Mkdir(p.copies, 0o700); err != nil {
		panic(err)
	}
	steps := 0
	fault := func(op, name string) error {
		if steps++; steps == n {
			p.lose()
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
		p.note(op, name)
		return nil
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		panic(err)
	}
	f, err := files.OpenFaulty(root, nil, fault)
	if err != nil {
		panic(err)
	}
	if words[2] == "commit" {
		if err := commitNew(f); err != nil {
			panic(err)
		}
		fmt.Println("committed")
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	fmt.Println("closed")
}

// A power knows what a loss of power may undo.
type power struct {
	mode, dir, copies string
	unwritten         []string   // files whose contents may be lost
	changes           []nameless // of names, the last one last
	number            int
}

// A nameless is a change of a name in a folder that has not been flushed.
type nameless struct {
	folder string
	undo   func()
}

// note is told each step before it is done.
func (p *power) note(op, name string) {
	from, to, _ := strings.Cut(name, "\x00")
	switch op {
	case "create", "mkdir":
		if path := p.path(name); !there(path) {
			p.change(name, func() { os.Remove(path) })
		}
		if op == "create" {
			p.unwritten = append(p.unwritten, name)
		}
	case "sync":
		p.unwritten = slices.DeleteFunc(p.unwritten, func(n string) bool { return n == name })
	case "flush":
		p.changes = slices.DeleteFunc(p.changes, func(c nameless) bool { return c.folder == filepath.Clean(p.path(name)) })
	case "link":
		path := p.path(to)
		p.change(to, func() { os.Remove(path) })
	case "remove":
		path := p.path(name)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			p.change(name, func() { os.Mkdir(path, 0o755) })
		} else if restore := p.copy(path); restore != nil {
			p.change(name, restore)
		}
	case "rename":
		if i := slices.Index(p.unwritten, from); i >= 0 {
			p.unwritten[i] = to
		}
		source, target := p.path(from), p.path(to)
		restore := p.copy(target)
		p.change(to, func() {
			os.Rename(target, source)
			if restore != nil { // there is one or the other
				restore()
			}
		})
	}
}

func (p *power) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (p *power) change(name string, undo func()) {
	p.changes = append(p.changes, nameless{filepath.Dir(p.path(name)), undo})
}

// copy returns what brings a file back, nil if there is none.
func (p *power) copy(path string) (restore func()) {
	p.number++
	spare := filepath.Join(p.copies, strconv.Itoa(p.number))
	if os.Link(path, spare) != nil {
		return nil
	}
	return func() {
		if os.Remove(path) == nil || !there(path) { // or, where both are one file, nothing is renamed
			os.Rename(spare, path)
		}
	}
}

func (p *power) lose() {
	if p.mode == "kill" {
		return
	}
	for _, name := range p.unwritten {
		if info, err := os.Stat(p.path(name)); err == nil {
			os.Truncate(p.path(name), info.Size()/2)
		}
	}
	for _, c := range slices.Backward(p.changes) {
		if p.mode == "names" || p.mode == "some names" && rand.IntN(2) == 0 {
			c.undo()
		}
	}
}
