package files_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func TestMain(m *testing.M) { durabletest.Main(m, "root", crashingLife) }

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
	seen := make(map[string]map[string]bool) // the states by mode
	modes := []string{"kill", "names", "some names"}
	for _, mode := range modes {
		seen[mode] = make(map[string]bool)
	}
	durabletest.EachKill(t, modes, func(t *testing.T, mode string, n int) bool {
		dir := oldFolder(t)
		told := crash(t, mode, n, dir, "commit")
		if n%3 == 0 {
			crash(t, mode, 1+rand.IntN(40), dir, "open")
		}
		state := settled(t, dir)
		if seen[mode][state] = true; told == "committed\n" && state != "new" {
			t.Errorf("what was committed is %s", state)
		}
		finished := told == "committed\nclosed\n"
		if finished && (n < 60 || !seen[mode]["old"] || !seen[mode]["new"]) {
			t.Errorf("finished after %d steps; seen: %v", n, seen[mode])
		}
		return finished
	})
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
	dir := durabletest.Scratch(t)
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
	out, _ := durabletest.Run(t, mode, n, dir, what)
	return string(out)
}

// crashingLife is the main function of such a process.
func crashingLife(dir string, fault durabletest.Fault, words []string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	if words[0] == "edit" {
		edits, _ := strconv.Atoi(words[2])
		if err := editingLife(root, fault, words[1], edits); err != nil {
			panic(err)
		}
		return
	}
	f, err := files.OpenFaulty(root, nil, fault)
	if err != nil {
		panic(err)
	}
	if words[0] == "commit" {
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
