package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/config"
)

// asAggregator makes the test's binary be the aggregator: it has the same
// main, and need not be built a second time.
const asAggregator = "TEST_AS_AGGREGATOR"

// What the tests share: a folder that is in the command line of every process
// that they start, and in it the shop.
var work, shop string

func TestMain(m *testing.M) {
	if os.Getenv(asAggregator) != "" {
		main()
	}
	code, err := testAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func testAll(m *testing.M) (code int, err error) {
	if work, err = os.MkdirTemp("", "aggregator"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	shop = filepath.Join(work, "shop")
	if runtime.GOOS == "windows" {
		shop += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", shop, "../shop").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the shop: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// write makes a configuration file.
func write(t *testing.T, upstreams ...string) string {
	t.Helper()
	f, err := os.CreateTemp(work, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("upstreams:\n" + strings.Join(upstreams, "")); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// entry is the shop in a configuration file, over standard input and output.
func entry() string {
	return fmt.Sprintf("  - {label: shop, command: [%q, -stdio]}\n", shop)
}

// missing is a server in a configuration file that cannot be started.
func missing() string {
	return fmt.Sprintf("  - {label: files, description: Files., command: [%q]}\n", filepath.Join(work, "no-such-program"))
}

// nested is an aggregator in a configuration file, with a file of its own.
func nested(t *testing.T, file string) string {
	t.Helper()
	return fmt.Sprintf("  - {label: inner, description: Another aggregator., command: [%q, -config, %q, -stdio], env: {%s: \"1\", GORACE: atexit_sleep_ms=0}}\n",
		executable(t), file, asAggregator)
}

func executable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// command returns the aggregator as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(executable(t), args...)
	cmd.Env = append(os.Environ(), asAggregator+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// mountFile is the aggregator in this process, for the length of the test.
func mountFile(t *testing.T, file string) *config.Server {
	t.Helper()
	f, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	f.StartTimeout = time.Minute
	srv, err := config.Start(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_ = srv.Close(ctx) // calls that take longer are cancelled
	})
	return srv
}

// faceOf returns the face of a configuration that names none.
func faceOf(srv *config.Server) *cash.Server { return srv.Face.(*cash.Server) }

// invoke runs the program in this process.
func invoke(ctx context.Context, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestUsage(t *testing.T) {
	bad := write(t, "  - label: shop\n    command: go run ./examples/shop\n")
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"-nonsense"}, 2, "Usage of aggregator"},
		{[]string{"extra"}, 2, "no arguments"},
		{[]string{"-stdio", "extra"}, 2, "no arguments"},
		{[]string{"-stdio", "-http", "127.0.0.1:0"}, 2, "at most one"},
		{[]string{"-http"}, 2, "flag needs an argument"},
		{[]string{"-h"}, 0, "-config file"},
		{[]string{"-face", "endpoint"}, 2, `no face "endpoint", but cash, gateway, proxy, disclosure, facade, plain`},
		{[]string{"-face", "", "-stdio"}, 2, "no face"},
		{[]string{"-catalog", "no-such-file.json"}, 2, "loading a catalog: "},
		{[]string{"-catalog", "config.yaml", "-stdio"}, 2, "is not JSON: line 1"},
		{[]string{"-catalog", demo, "-config", "no-such-file.yaml"}, 2, "no-such-file.yaml"},
		{[]string{"-config", "no-such-file.yaml"}, 2, "no-such-file.yaml"},
		{[]string{"-config", bad}, 2, bad + ":3:14: upstreams[0].command: one text where a list is wanted"},
		{[]string{"-config", bad, "-stdio"}, 2, bad + ":3:14: "},
		{[]string{"-config", write(t, missing()), "-http", "127.0.0.1:-1"}, 1, "aggregator: listen tcp"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			code, out, errs := invoke(t.Context(), tt.args...)
			if code != tt.code || out != "" || !strings.Contains(errs, tt.text) {
				t.Errorf("exit code %d, out %q, errors %q; want %d, nothing, %q", code, out, errs, tt.code, tt.text)
			}
		})
	}
}
