package files_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// listed returns all paths below a folder, as list gives them.
func (w *world) listed(args object) []string {
	w.t.Helper()
	args["recursive"] = true
	return w.allPages("list", args, paths)
}

func TestF12Gitignore(t *testing.T) {
	w := newWorld(t, nil,
		".gitignore", "\ufeff# comment\r\n*.log\r\n!keep.log\n/build/\nnode_modules/\ndoc/**/*.txt\n\\#hash\ntrailing \nescaped\\ \n[unclosed\n",
		"a.log", "", "keep.log", "", "build/x", "", "sub/build/x", "", "sub/node_modules/p/q", "", "doc/a.txt", "", "doc/x/y/b.txt", "",
		"#hash", "", "trailing", "", "escaped ", "", "[unclosed", "", "sub/.gitignore", "!a.log\n/own\n", "sub/a.log", "", "sub/own", "", "sub/x/own", "",
		"build2", "")
	want := []string{".gitignore", "[unclosed", "build2", "doc", "doc/x", "doc/x/y", "keep.log",
		"sub", "sub/.gitignore", "sub/a.log", "sub/build", "sub/build/x", "sub/x", "sub/x/own"}
	if got := w.listed(object{"gitignore": true}); !reflect.DeepEqual(got, want) {
		t.Errorf("listed %q", got)
	}
	if got := w.listed(object{"gitignore": true, "path": "sub/node_modules"}); len(got) > 0 {
		t.Errorf("listed below an ignored folder: %q", got)
	}
	if got := w.listed(object{"gitignore": true, "path": "sub"}); !reflect.DeepEqual(got, want[8:]) {
		t.Errorf("listed %q", got)
	}
	if got := w.listed(object{}); len(got) < 25 {
		t.Errorf("without a wish: %q", got)
	}
}

// Git and list leave out the same, for random patterns and names.
func TestF12GitignoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("there is no git to compare with")
		return
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "ab", "*", "**", "?", "/", "/", "/", "**/", "/**", "[ab]", "[!a]", "[a-c]", "[]a]", "[[:alpha:]]", "[^b-]", `\a`, `\*`, "!", " ", ".", "*.", "[b-a]", "[", "***", "a*b", "#"}
	names := []string{"a", "b", "ab", "abc", "*", "a.b", "b.a", "-", "c", "]", "!a", "#a", ".a"}
	for round := range 25 {
		w := newWorld(t, &files.Options{Hide: []string{".git"}})
		for range 40 {
			p := names[r.IntN(len(names))]
			for range r.IntN(4) {
				p += "/" + names[r.IntN(len(names))]
			}
			if info, err := os.Stat(w.dir + "/" + p); err == nil && info.IsDir() {
				continue
			}
			func() { // some are in the way of others
				defer func() { _ = recover() }()
				_ = os.MkdirAll(w.dir+"/"+p[:max(strings.LastIndexByte(p, '/'), 0)], 0o755)
				_ = os.WriteFile(w.dir+"/"+p, nil, 0o644)
			}()
		}
		for _, folder := range []string{"", "a/", "ab/"} {
			var text strings.Builder
			for range 5 {
				for range 1 + r.IntN(5) {
					text.WriteString(pieces[r.IntN(len(pieces))])
				}
				text.WriteString("\n")
			}
			// Git takes two asterisks behind a literal beginning for ones across slashes, other than its manual says.
			documented := regexp.MustCompile(`([^/\n!])\*\*+`).ReplaceAllString(text.String(), "$1*")
			_ = os.WriteFile(w.dir+"/"+folder+".gitignore", []byte(documented), 0o644) // unless there is no folder
		}
		all := w.listed(object{})
		var want []string
		git := exec.Command("git", "init", "-q")
		git.Dir = w.dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		git = exec.Command("git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin")
		git.Dir = w.dir
		git.Stdin = strings.NewReader(strings.Join(all, "\x00") + "\x00")
		out, err := git.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
			t.Fatal(err)
		}
		ignored := strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
		for _, p := range all {
			if !slices.Contains(ignored, p) {
				want = append(want, p)
			}
		}
		got := w.listed(object{"gitignore": true})
		if !slices.Equal(got, want) {
			var texts strings.Builder
			for _, folder := range []string{"", "a/", "ab/"} {
				data, _ := os.ReadFile(w.dir + "/" + folder + ".gitignore")
				fmt.Fprintf(&texts, "%s: %q\n", folder, data)
			}
			for _, p := range all {
				if slices.Contains(got, p) != slices.Contains(want, p) {
					t.Errorf("round %d: %s is listed: %v; git: %v", round, p, slices.Contains(got, p), slices.Contains(want, p))
				}
			}
			t.Fatalf("%s", texts.String())
		}
	}
}

// What is hidden is absent, and what is protected stays.
func TestF17HideAndProtect(t *testing.T) {
	w := newWorld(t, &files.Options{Hide: []string{".git", "*.key", "/private/"}, Protect: []string{"go.sum", "vendor/"}},
		"a", "word", ".git/config", "word", "sub/.git/x", "word", "x.key", "word", "private/p", "word", "sub/private/p", "word", "go.sum", "word", "vendor/v", "word")
	visible := []string{"a", "go.sum", "sub", "sub/private", "sub/private/p", "vendor", "vendor/v"}
	if got := w.listed(object{}); !reflect.DeepEqual(got, visible) {
		t.Errorf("listed %q", got)
	}
	if out := w.call("search", object{"text": "word"}); out["count"] != nil || len(out["matches"].([]any)) != 4 || out["skipped"] != nil {
		t.Errorf("found %v", out)
	}
	absent := func(p string) string {
		return w.refuse(registry.Failed, "get", object{"path": p}, "no file").Error()
	}
	for _, p := range []string{".git/config", ".GIT/config", "sub/.git/x", "x.key", "private/p"} {
		if got := strings.ReplaceAll(absent(p), p, "none"); got != absent("none") {
			t.Errorf("%s: %s", p, got)
		}
		edits(w, w.start("a"), registry.InvalidArguments, p, "is reserved")
		w.refuse(registry.InvalidArguments, "move", object{"path": "a", "to": p}, "is reserved")
		w.refuse(registry.InvalidArguments, "move", object{"path": p, "to": "b"}, "is reserved")
	}
	for _, p := range []string{".git", "private", "sub/.git"} {
		w.refuse(registry.Failed, "list", object{"path": p}, "no folder")
		w.refuse(registry.Failed, "search", object{"path": p, "text": "word"}, "no folder")
	}
	w.refuse(registry.Failed, "search", object{"path": "x.key", "text": "word"}, "no folder")
	// Whether there is anything makes no difference.
	if a, b := w.refuse(registry.InvalidArguments, "put", object{"path": "x.key", "content": ""}), w.refuse(registry.InvalidArguments, "put", object{"path": "y.key", "content": ""}); strings.Replace(a.Error(), "x.key", "y.key", 1) != b.Error() {
		t.Errorf("%v; %v", a, b)
	}
	for _, p := range []string{"go.sum", "vendor/v", "vendor/new"} {
		edits(w, w.start("a"), registry.InvalidArguments, p, "is reserved")
	}
	if out := w.call("get", object{"path": "vendor/v"}); out["content"] != "word" {
		t.Errorf("got %v", out)
	}
	w.refuse(registry.InvalidArguments, "move", object{"path": "vendor", "to": "v"}, "is reserved")
	w.refuse(registry.Failed, "move", object{"path": "sub", "to": "moved"}, "something in it must stay")
	// A link does not lead to what is hidden.
	symlink(t, w, ".git", "link")
	symlink(t, w, "x.key", "key")
	w.refuse(registry.Failed, "get", object{"path": "link/config"}, "no file")
	w.refuse(registry.Failed, "get", object{"path": "key"}, "no file")
	w.refuse(registry.Failed, "list", object{"path": "link"}, "no folder")

	root, err := os.OpenRoot(durabletest.Scratch(t))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, o := range []*files.Options{{Hide: []string{"[a"}}, {Protect: []string{""}}} {
		if f, err := files.Open(root, o); err == nil {
			f.Close()
			t.Errorf("%v is taken", o)
		}
	}
	all := newWorld(t, &files.Options{Hide: []string{}}, ".git/config", "x")
	if out := all.call("get", object{"path": ".git/config"}); out["content"] != "x" {
		t.Errorf("hidden: %v", out)
	}
}

func TestF12Move(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "dir/b", "B", "dir/sub/c", "C", "d", "D")
	out := w.call("move", object{"path": "a", "to": "x/y/a"})
	if want := (object{"path": "x/y/a", "from": "a", "type": "file"}); !reflect.DeepEqual(out, want) {
		t.Errorf("moved %v", out)
	}
	if out := w.call("move", object{"path": "dir", "to": "x/dir"}); out["type"] != "folder" {
		t.Errorf("moved %v", out)
	}
	w.refuse(registry.Failed, "move", object{"path": "d", "to": "x/y/a"}, "exists already")
	w.refuse(registry.Failed, "move", object{"path": "none", "to": "z"}, "no file `none`")
	w.refuse(registry.Failed, "move", object{"path": "x", "to": "x/z"}, "into itself")
	w.refuse(registry.Failed, "move", object{"path": "d", "to": "d/z"})
	for _, p := range []string{"../x", "/x", "", "x/", ".cash-files/x"} {
		w.refuse(registry.InvalidArguments, "move", object{"path": "d", "to": p})
		w.refuse(registry.InvalidArguments, "move", object{"path": p, "to": "z"})
	}
	symlink(t, w, "d", "link")
	w.refuse(registry.Failed, "move", object{"path": "link", "to": "z"}, "symbolic link")
	if err := os.Remove(w.dir + "/link"); err != nil {
		t.Fatal(err)
	}
	w.want("x/y/a", "A", "x/dir/b", "B", "x/dir/sub/c", "C", "d", "D")

	w.refuse(registry.Failed, "delete", object{"path": "x/dir/sub"}, "not empty")
	w.call("delete", object{"path": "x/dir/sub/c"})
	w.refuse(registry.Failed, "delete", object{"path": "x/dir/sub", "expect": hash("")}, "is a folder")
	if out := w.call("delete", object{"path": "x/dir/sub"}); out["deleted"] != true {
		t.Errorf("deleted %v", out)
	}
	if _, err := os.Stat(w.dir + "/x/dir/sub"); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	w.want("x/y/a", "A", "x/dir/b", "B", "d", "D")
}

// Errors about a path are one line, without the parameters of the command.
func TestF17PathErrorsAreOneLine(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	level := registry.Standard
	execute := executorText(w, &level)
	for _, p := range []string{"../x", "/x", "", "a\nb", "x/", `a\b`, ".cash-files/x", "none", ".git/x", strings.Repeat("x", 2000)} {
		for _, cmd := range []string{"get", "delete"} {
			if text := execute(cmd, object{"path": p}); strings.Contains(text, "Parameters of") || strings.Contains(text, "\n") || len(text) > 400 || text == "" {
				t.Errorf("%s %q: %s", cmd, p, text)
			}
		}
	}
}
