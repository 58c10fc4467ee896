package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
)

// The same three servers, as three clients write them.
var clients = map[string]string{
	"claude.json": `{"mcpServers": {
		"files": {"type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${DATA:-/data}"], "env": {}},
		"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "${MEMORY}", "COST": "5$"}},
		"issue-tracker": {"type": "http", "url": "https://issues.example/mcp", "headers": {"Authorization": "Bearer ${ISSUES_TOKEN}"}}
	}}`,
	"cursor.json": `{"mcpServers": {
		"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${env:DATA:-/data}"]},
		"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "${env:MEMORY}", "COST": "5$"}},
		"issue-tracker": {"url": "https://issues.example/mcp", "headers": {"Authorization": "Bearer ${env:ISSUES_TOKEN}"}}
	}}`,
	"vscode.json": `{
		// Asked for once.
		"inputs": [{"type": "promptString", "id": "issues-token", "description": "Token", "password": true},],
		"servers": {
			"files": {"type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${env:DATA:-/data}"]},
			/* the graph, "in a file" */
			"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "${env:MEMORY}", "COST": "5$",},},
			"issue-tracker": {"type": "http", "url": "https://issues.example/mcp", "headers": {"Authorization": "Bearer ${input:issues-token}"}},
		},
	}`,
}

const wantImported = `# For cash serve -config FILE. Package config of cash/upstream lists all keys.
upstreams:
  - label: files
    command: [npx, -y, '@modelcontextprotocol/server-filesystem', '${env:DATA:-/data}']
  - label: memory
    command: [npx, -y, '@modelcontextprotocol/server-memory']
    env:
      COST: 5$$
      MEMORY_FILE_PATH: ${env:MEMORY}
  - label: issue_tracker
    endpoint: https://issues.example/mcp
    headers:
      Authorization: Bearer ${env:ISSUES_TOKEN}
`

// TestImport: the configurations of all clients become the same one, whose values arrive.
func TestImport(t *testing.T) {
	for name, text := range clients {
		file := filepath.Join(t.TempDir(), name)
		write(t, file, text)
		for _, got := range []ran{printed(t, false, "", nil, "import", file), printed(t, false, text, nil, "import", "-")} {
			if got.code != 0 || got.out != wantImported {
				t.Errorf("%s: status %d, %s\n%s", name, got.code, got.err, got.out)
			}
			if told := strings.Contains(got.err, "environment variable ISSUES_TOKEN"); told != (name == "vscode.json") || strings.Contains(got.err, "secret") {
				t.Errorf("%s: %q", name, got.err)
			}
		}
	}
	vars := map[string]string{"MEMORY": "/m.jsonl", "ISSUES_TOKEN": "t"}
	f, err := config.Parse([]byte(wantImported), &config.Options{Getenv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	memory := f.Upstreams[1].Endpoint.(upstream.Command)
	if strings.Join(memory.Env, " ") != "COST=5$ MEMORY_FILE_PATH=/m.jsonl" {
		t.Errorf("%q", memory.Env)
	}
	if args := f.Upstreams[0].Endpoint.(upstream.Command).Args; args[2] != "/data" {
		t.Errorf("%q", args)
	}
}

// TestImportTwice: a server that several files have is listed once. One that differs, if only by a secret, is another.
func TestImportTwice(t *testing.T) {
	one := filepath.Join(t.TempDir(), "one.json")
	write(t, one, `{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {}}, "b": {"url": "https://b.example", "headers": {"X-Key": "S1"}}}}`)
	two := filepath.Join(t.TempDir(), "two.json")
	write(t, two, `{"servers": {"A": {"command": "x", "args": ["1"]}, "b": {"url": "https://b.example", "headers": {"X-Key": "S2"}}, "c": {"command": "x", "args": ["1"]}}}`)
	const want = `# For cash serve -config FILE. Package config of cash/upstream lists all keys.
upstreams:
  - label: a
    command: [x, "1"]
  - label: b
    endpoint: https://b.example
    headers:
      X-Key: ${env:B_X_KEY}
  - label: b_2
    endpoint: https://b.example
    headers:
      X-Key: ${env:B_2_X_KEY}
  - label: c
    command: [x, "1"]
`
	got := printed(t, false, "", nil, "import", one, two)
	if got.code != 0 || got.out != want {
		t.Errorf("status %d, %s\n%s", got.code, got.err, got.out)
	}
	for text, n := range map[string]int{
		"a: it is there twice, and is listed once\n": 1, "set the environment variable B_X_KEY\n": 1,
		"set the environment variable B_2_X_KEY\n": 1, "servers: 4; next, try them with cash doctor": 1, "\n": 4,
	} {
		if strings.Count(got.err, text) != n {
			t.Errorf("%q is there %d times, want %d:\n%s", text, strings.Count(got.err, text), n, got.err)
		}
	}
}

// TestImportWorkspace: the file of a project tells which folder ${workspaceFolder} is.
func TestImportWorkspace(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "pro$ject")
	const text = `{"mcpServers": {"a": {"command": "x", "args": ["${workspaceFolder}/d"]}}}`
	for name, known := range map[string]bool{
		"pro$ject/.vscode/mcp.json": true, "pro$ject/.cursor/mcp.json": true, "pro$ject/.mcp.json": true,
		"pro$ject/mcp.json": false, ".cursor/mcp.json": false,
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, file, text)
		got := printed(t, false, "", map[string]string{"HOME": home}, "import", file)
		f, err := config.Parse([]byte(got.out), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := "./d"
		if known {
			want = project + "/d"
		}
		if arg := f.Upstreams[0].Endpoint.(upstream.Command).Args[0]; arg != want || strings.Contains(got.err, "becomes the folder") == known {
			t.Errorf("%s: %q, want %q; %s", name, arg, want, got.err)
		}
	}
}

// TestImportSecrets: secrets become references, and are named but never printed.
func TestImportSecrets(t *testing.T) {
	const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	got := printed(t, false, `{"mcpServers": {
		"a": {"command": "x", "args": ["--api-key", "S1", "--password=S2", "`+key+`", "plain"], "env": {"API_KEY": "S3", "LEVEL": "debug", "MAX_TOKENS": "100"}},
		"b": {"command": "x", "env": {"API_KEY": "S4"}, "envFile": ".env", "disabled": true},
		"B": {"url": "https://S5:S6@h.example/mcp?token=S7&page=1", "type": "sse", "headers": {"X-Api-Key": "S8", "Cookie": "S9"}},
		"c": {"command": "x", "args": ["${workspaceFolder}/d", "${strange}", "${unknown:y}"], "cwd": "${userHome}"}
	}}`, nil, "import", "-")
	const want = `# For cash serve -config FILE. Package config of cash/upstream lists all keys.
upstreams:
  - label: a
    command: [x, --api-key, '${env:A_API_KEY}', '--password=${env:A_PASSWORD}', '${env:A_ARG4}', plain]
    env:
      API_KEY: ${env:API_KEY}
      LEVEL: debug
      MAX_TOKENS: "100"
  - label: b
    command: [x]
    env:
      API_KEY: ${env:B_API_KEY}
    disabled: true
  - label: B_2
    endpoint: https://h.example/mcp?token=${env:B_2_TOKEN}&page=1
    transport: sse
    headers:
      Authorization: ${env:B_2_AUTHORIZATION}
      Cookie: ${env:B_2_COOKIE}
      X-Api-Key: ${env:B_2_X_API_KEY}
  - label: c
    command: [x, ./d, '${env:strange}', '$${unknown:y}']
    dir: ${env:HOME}
`
	if got.code != 0 || got.out != want {
		t.Errorf("status %d, %s\n%s", got.code, got.err, got.out)
	}
	for i := range 10 {
		if s := "S" + string(rune('0'+i)); strings.Contains(got.out+got.err, s) {
			t.Errorf("%s is printed", s)
		}
	}
	if strings.Contains(got.out+got.err, key) || !strings.Contains(got.err, "b: env.API_KEY holds a secret, which is not copied; set the environment variable B_API_KEY\n") ||
		!strings.Contains(got.err, `b: "envFile" is left out`) || !strings.Contains(got.err, "${unknown:y} is unknown here") {
		t.Errorf("%s", got.err)
	}
}

// TestImportVariables: a variable that a reference names, or that an input becomes, holds no secret of another server.
func TestImportVariables(t *testing.T) {
	const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	one := filepath.Join(t.TempDir(), "one.json")
	write(t, one, `{"mcpServers": {
		"one": {"command": "x", "env": {"GITHUB_TOKEN": "`+key+`", "API_KEY": "S1", "two_password": "S2", "H_AUTHORIZATION": "S3"}},
		"h": {"url": "https://S4:S5@h.example/mcp"}
	}}`)
	two := filepath.Join(t.TempDir(), "two.json")
	write(t, two, `{"servers": {
		"two": {"url": "https://two.example", "headers": {"Authorization": "Bearer \u0024{GITHUB_TOKEN}", "X-A": "${input:api_key}", "X-B": "${input:api-key}", "X-C": "${input:home}"}},
		"three": {"command": "x", "args": ["${TWO_PASSWORD}", "${env:HOME}", "${input:api_key}"]}
	}}`)
	three := filepath.Join(t.TempDir(), "three.json")
	write(t, three, `{"servers": {"four": {"url": "https://four.example", "headers": {"X-A": "${input:api_key}"}}}}`)
	const want = `# For cash serve -config FILE. Package config of cash/upstream lists all keys.
upstreams:
  - label: one
    command: [x]
    env:
      API_KEY: ${env:ONE_API_KEY}
      GITHUB_TOKEN: ${env:ONE_GITHUB_TOKEN}
      H_AUTHORIZATION: ${env:H_AUTHORIZATION}
      two_password: ${env:ONE_TWO_PASSWORD}
  - label: h
    endpoint: https://h.example/mcp
    headers:
      Authorization: ${env:H_URL_AUTHORIZATION}
  - label: two
    endpoint: https://two.example
    headers:
      Authorization: Bearer ${env:GITHUB_TOKEN}
      X-A: ${env:API_KEY}
      X-B: ${env:API_KEY_2}
      X-C: ${env:HOME_2}
  - label: three
    command: [x, '${env:TWO_PASSWORD}', '${env:HOME}', '${env:API_KEY}']
  - label: four
    endpoint: https://four.example
    headers:
      X-A: ${env:API_KEY_3}
`
	got := printed(t, false, "", nil, "import", one, two, three)
	if got.code != 0 || got.out != want {
		t.Errorf("status %d, %s\n%s", got.code, got.err, got.out)
	}
	for _, text := range []string{
		"one: env.GITHUB_TOKEN holds a secret, which is not copied; set the environment variable ONE_GITHUB_TOKEN\n",
		`two: the input "api-key" becomes the environment variable API_KEY_2` + "\n",
	} {
		if !strings.Contains(got.err, text) {
			t.Errorf("no %q in\n%s", text, got.err)
		}
	}
	if again := printed(t, false, "", nil, "import", three, two, one); strings.Contains(again.out, "{env:GITHUB_TOKEN}\n      H_") || strings.Contains(again.out, "API_KEY: ${env:API_KEY}\n") {
		t.Errorf("in another order:\n%s", again.out)
	}
}

// TestImportDefaults: a secret is not copied from the default of a reference, the address of a URL or an assignment.
func TestImportDefaults(t *testing.T) {
	const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	got := printed(t, false, `{"mcpServers": {
		"a": {
			"command": "x", "cwd": "/x/`+key+`",
			"args": ["${TOK:-`+key+`}", "--password", "${PW:-S1}", "--secret=${SEC:-S2}", "${DB_PASSWORD:-S3}", "${HALF:-ghp_abcdefghijklmnop}qrstuvwxyz0123456789", "-e", "API_KEY=S4", "${my-token:-`+key+`}", "${DIR:-/da$ta}", "${EMPTY_TOKEN:-}"],
			"env": {"API_KEY": "${API_KEY:-S5}", "LEVEL": "${LEVEL:-debug}"}
		},
		"b": {"url": "https://h.example/`+key+`/mcp?page=${PAGE:-1}&token=${T:-S6}&`+key+`&`+key+`=1", "headers": {"Authorization": "Bearer ${B:-S7}", "X-Api-Key": "${command:S8}"}}
	}}`, nil, "import", "-")
	const want = `# For cash serve -config FILE. Package config of cash/upstream lists all keys.
upstreams:
  - label: a
    command: [x, '${env:TOK}', --password, '${env:PW}', '--secret=${env:SEC}', '${env:DB_PASSWORD}', '${env:HALF}qrstuvwxyz0123456789', -e, 'API_KEY=${env:A_API_KEY}', '${env:A_ARG9}', '${env:DIR:-/da$$ta}', '${env:EMPTY_TOKEN:-}']
    dir: ${env:A_CWD}
    env:
      API_KEY: ${env:API_KEY}
      LEVEL: ${env:LEVEL:-debug}
  - label: b
    endpoint: ${env:B_URL}?page=${env:PAGE:-1}&token=${env:T}&${env:B_QUERY3}&${env:B_QUERY4}
    headers:
      Authorization: Bearer ${env:B}
      X-Api-Key: ${env:B_X_API_KEY}
`
	if got.code != 0 || got.out != want {
		t.Errorf("status %d, %s\n%s", got.code, got.err, got.out)
	}
	for _, secret := range []string{"ghp_", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"} {
		if strings.Contains(got.out+got.err, secret) {
			t.Errorf("%s is printed", secret)
		}
	}
	for _, name := range []string{"TOK", "PW", "SEC", "DB_PASSWORD", "HALF", "API_KEY", "T", "B"} {
		if text := "the default of ${" + name + "} holds a secret, which is not copied; set the environment variable " + name + "\n"; !strings.Contains(got.err, text) {
			t.Errorf("no %q in\n%s", text, got.err)
		}
	}
}

func TestImportMistakes(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "-: ",
		`{"mcpServers": {}`:                      "-: ",
		`[]`:                                     "neither mcpServers nor servers",
		`{"other": {}}`:                          "neither mcpServers nor servers",
		`{"mcpServers": {"a": 1}}`:               `the server "a" is no object`,
		`{"mcpServers": {"a": {}}}`:              "either a command or a url",
		`{"servers": {"a": {"command": 1}}}`:     "command must be a string",
		`{"servers": {"a": {"args": "x"}}}`:      "args must be a list of strings",
		`{"servers": {"a": {"args": [1]}}}`:      "each of args must be a string",
		`{"servers": {"a": {"env": []}}}`:        "env must be an object",
		`{"servers": {"a": {"url": "ftp://x"}}}`: "upstreams[0].endpoint",
		`{"a": "\`:                               "-: ",
		`{"a": 1 /* `:                            "-: ",
	} {
		if got := printed(t, false, text, nil, "import", "-"); got.code != 1 || !strings.Contains(got.err, want) || got.out != "" {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := printed(t, false, "", nil, "import"); got.code != 2 {
		t.Errorf("%+v", got)
	}
	if got := printed(t, false, "", nil, "import", "none.json"); got.code != 1 || !strings.Contains(got.err, "none.json: it cannot be read") {
		t.Errorf("%+v", got)
	}
}

func FuzzWithoutComments(f *testing.F) {
	for _, text := range clients {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := withoutComments(data)
		if len(out) != len(data) || strings.Count(string(out), "\n") != strings.Count(string(data), "\n") {
			t.Errorf("%q becomes %q", data, out)
		}
	})
}
