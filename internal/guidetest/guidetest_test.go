package guidetest_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

func TestMain(m *testing.M) { guidetest.Main(m, program) }

// program greets whoever it is told to, fails, serves, or checks a page.
func program() {
	switch args := os.Args[1:]; args[0] {
	case "greet":
		fmt.Println("Hello,", strings.Join(append(args[1:], os.Getenv("TITLE")), " "))
		fmt.Fprintln(os.Stderr, "greeted")
	case "fail":
		fmt.Println("It does not work.")
		os.Exit(1)
	case "serve":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		listener, err := net.Listen("tcp", args[len(args)-1])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("serving at http://" + listener.Addr().String())
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Println(r.Method, r.URL.Path, "of", r.Host)
			if r.URL.Path == "/old" {
				http.Redirect(w, r, "/new", http.StatusFound)
				return
			}
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s", r.Header.Get("Authorization"), body)
		}))
		<-ctx.Done()
		fmt.Println("stopped")
	}
}

// The page has all kinds of blocks.
func TestGuide(t *testing.T) {
	g := &guidetest.Guide{Page: "testdata/guide.md"}
	g.Args = func(args []string) []string {
		if len(args) == 1 && args[0] == "serve" {
			args = append(args, "127.0.0.1:8080")
		}
		return args
	}
	g.Output = func(block, printed string) string {
		if block == "text known" {
			return "what only the test knows"
		}
		return printed
	}
	g.Test(t)
	if g.Job(t, 1).Log.All() != nil {
		t.Error("standard output is not apart from standard error")
	}
}

// A guide with a folder of its own writes its files there.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	version := regexp.MustCompile(`[0-9]+\.[0-9]+`)
	g := &guidetest.Guide{
		Page: "testdata/folder.md", Dir: dir,
		Same: func(page string) string { return version.ReplaceAllString(page, "V") },
	}
	g.Test(t)
	if data, err := os.ReadFile(filepath.Join(dir, "in", "settings.yaml")); err != nil || string(data) != "version: 1.0\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// mistakes are pages with what is said of them.
var mistakes = map[string]string{
	"":                                       "neither commands nor quotations",
	"```sh\necho b\n```\n```text\na\n```\n":  "line 5: the page says",
	"```console\n$ echo b\na\n```\n":         "line 3: the page says",
	"```console\necho b\n```\n":              "begins with",
	"```sh\nexit 3\n```\n":                   "exit status 3",
	"```sh\necho b; exit 3\n```\n":           "exit status 3",
	"```sh\nA=$(echo b; exit 3)\n```\n":      "exit status 3",
	"```sh\ngo run ./nowhere\n```\n":         "go build ./nowhere",
	"```sh\ncurl -k http://x\n```\n":         "curl has -k",
	"```sh\nkill %1\n```\n":                  "there is no job",
	"```text %1\n```\n":                      "there is no job",
	"```text other\n```\n":                   "a block of",
	"```\n```\n":                             "without a word",
	"```sh\n":                                "does not end",
	"```go\nfunc nowhere() {}\n```\n":        "quotes what is not in",
	"```yaml testdata/quoted.yaml\na\n```\n": "no such file",
	"```yaml internal/guidetest/testdata/quoted.yaml\nfirst: 1\n  third: 3\n```\n": "quotes what is not in",
}

// TestMistakes holds that each mistake of a page fails its test, which runs in a process of its own.
func TestMistakes(t *testing.T) {
	for page, want := range mistakes {
		name := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestPage$", "-page="+name)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, want %q\n%s", page, err, want, out)
		}
	}
}

var page = flag.String("page", "", "the page of TestPage")

// TestPage is the test of a page of TestMistakes.
func TestPage(t *testing.T) {
	if *page != "" {
		(&guidetest.Guide{Page: *page}).Test(t)
	}
}
