package redact_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/redact"
)

func defaults() *redact.Filter { return redact.New(redact.DefaultRules()...) }

// letters returns n letters and digits that look random.
func letters(n int) string {
	return strings.Repeat("aB3dE5gH7jK9mN1pQ2sT4vW6yZ8", n/27+1)[:n]
}

// pem returns a private key, with line ends.
func pem(label string) string {
	line := letters(64) + "\n"
	return "-----BEGIN " + label + "-----\n" + strings.Repeat(line, 5) + "-----END " + label + "-----"
}

// A sample is text with a secret in it, in pieces, so that nobody takes it for a
// real one.
type sample struct{ rule, before, secret, after string }

var samples = []sample{
	{"private-key", "key: ", pem("PRIVATE KEY"), " end"},
	{"private-key", "", pem("RSA " + "PRIVATE KEY"), "\n"},
	{"private-key", "x", pem("OPENSSH " + "PRIVATE KEY"), ""},
	{"private-key", "", pem("PGP " + "PRIVATE KEY BLOCK"), "."},
	{"aws-key", "id ", "AK" + "IAIOSFODNN7EXAMPLE", " here"},
	{"aws-key", "", "AS" + "IAIOSFODNN7EXAMPLE", ","},
	{"github-token", "use ", "gh" + "p_" + letters(36), "."},
	{"github-token", "https://", "gh" + "o_" + letters(36), "@github.com/a/b"},
	{"github-token", "(", "github" + "_pat_" + letters(22) + "_" + letters(59), ")"},
	{"gitlab-token", "", "glp" + "at-" + letters(20), " "},
	{"slack-token", "<", "xo" + "xb-123456789012-" + letters(24), ">"},
	{"google-key", "?key=", "AI" + "za" + letters(35), "&x=1"},
	{"stripe-key", "", "sk" + "_live_" + letters(24), ""},
	{"anthropic-key", "", "sk" + "-ant-api03-" + letters(80), ""},
	{"openai-key", "is ", "sk" + "-proj-" + letters(60), " today"},
	{"openai-key", "\n", "sk" + "-" + letters(48), "\n"},
	{"npm-token", "//registry/:", "np" + "m_" + letters(36), ""},
	{"jwt", "id ", "ey" + "J" + letters(30) + ".ey" + "J" + letters(60) + "." + letters(43), " ok"},
	{"authorization", "Authorization: Bearer ", "abc." + letters(20), "\nHost: x"},
	{"authorization", "Authorization: Basic ", "YWxhZGRpbjpvcGVuc2VzYW1l", "\r\nHost: x"},
	{"authorization", `{"Authorization":["Bearer `, letters(20), `"]}`},
	{"authorization", "curl -H 'Authorization: token ", letters(12), "' https://example.com"},
	{"authorization", "sent bearer ", letters(24), " to it"},
	{"url-password", "postgres://app:", "s3cr3t!q9z", "@db.example.com:5432/app"},
	{"url-password", "redis://:", "hunter2", "@cache"},
	{"password", "password=", "hunter2", "&user=a"},
	{"password", "DB_PASSWORD=", "correct-horse", "\nNEXT=1"},
	{"password", `{"password":"`, "hunter2", `","user":"a"}`},
	{"password", `{"password": "`, `with \"quotes\" and \\ back`, `"}`},
	{"password", `{"dbPassword" : "`, "two birds", `"}`},
	{"password", "user: a\npassword: ", "jellyfish", "\nhost: b"},
	{"password", "  - passphrase: '", "it is long", "'\n"},
	{"password", "Server=a;Uid=b;Pwd=", "hunter22", ";Timeout=3"},
	{"secret", "client_secret=", "abcdef", "&x=1"},
	{"secret", "aws_secret_access_key = ", letters(30) + "/+" + letters(8), "\n"},
	{"secret", "X-Api-Key: ", letters(20), "\n"},
	{"secret", `{"apiKey":"`, "k-123456", `"}`},
	{"secret", `AccountKey=`, letters(40) + "==", ";EndpointSuffix=x"},
	{"token", "https://example.com/?access_token=", "abc123def", "&page=2"},
	{"token", `{"refreshToken":"`, "abcdefgh", `"}`},
	{"token", "export CI_TOKEN=", letters(10), "\n"},
	{"password", "db:\n  password: |\n    ", "the first line of two\n\n    and the last of them", "\n  user: a\n"},
	{"password", "- password: >-\n    ", "with \"quotes\"", "\n"},
	{"secret", "secret: !vault |\n  ", "$VAULT;1.1", "\nuser: a"},
	{"password", "password: &p ", "hunter22", "\n"},
	{"password", `[{"name":"DB_PASSWORD","value":"`, "hunter2", `"},{"name":"A","value":"b"}]`},
	{"secret", `{"Name" : "API_KEY", "Value" : "`, "k-123456", `"}`},
	{"password", "- name: DB_PASSWORD\n  value: ", "hunter2", "\n"},
	{"password", `<add key="Password" value="`, "hunter2", `"/>`},
	{"password", "run --db-password ", "hunter2", " now"},
	{"password", `["run","--password","`, "hunter2", `"]`},
	{"secret", `{"X-Api-Key":["`, letters(20), `"]}`},
	{"secret", `{"credentials":"`, letters(20), `"}`},
	{"secret", "SECRET_KEY_BASE=", letters(20), ""},
	{"password", "DB_PASS=", "hunter2", "\n"},
	{"password", `{"user":"a","pass":"`, "hunter2", `"}`},
	{"password", `password\u003d`, "hunter2", ""},
	{"cookie", "Cookie: theme=dark; session=", letters(24), "; lang=en\n"},
	{"cookie", `{"Set-Cookie":["sid=`, letters(24), `; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT"]}`},
	{"password", "<server><password>", "hunter2", "</password></server>"},
	{"service-token", "", "hv" + "s." + letters(24), ""},
	{"service-token", "", "S" + "G." + letters(22) + "." + letters(43), " "},
	{"webhook", "https://", "hooks.slack.com/" + "services/T0000000/B0000000/" + letters(24), " "},
}

func (s sample) text() string { return s.before + s.secret + s.after }

func TestRedactW35Samples(t *testing.T) {
	r := defaults()
	for _, s := range samples {
		want := s.before + "[redacted: " + s.rule + "]" + s.after
		got, n := r.Text(s.text())
		if got != want || n != 1 {
			t.Errorf("Text(%q) = %q, %d\nwant %q", s.text(), got, n, want)
		}
		if again, n := r.Text(got); again != got || n != 0 {
			t.Errorf("not stable: %q becomes %q", got, again)
		}
	}
}

// TestRedactW35Innocent has what looks like secrets, and is none.
func TestRedactW35Innocent(t *testing.T) {
	for _, text := range []string{
		"", "plain text", "The password must have at least 8 characters.", "Password: required", "Enter your password:\n",
		"The secret of the soup: salt.", "token: the smallest unit of text", `{"token":"EOF","tokens":1523,"max_tokens":100}`,
		`{"next_page_token":"` + letters(40) + `","nextToken":"` + letters(30) + `"}`, "page_token=" + letters(20),
		`{"password":null,"secret":true,"api_key":""}`, `{"password":{"type":"string"}}`, `{"properties":{"password":{}}}`,
		`{"password":"********"}`, "password=${DB_PASSWORD}", "password: {{ password }}", "token=<your token>", "PASSWORD=$PASSWORD",
		"token = getToken()", "primary_key=12345", `{"key":"value","public_key":"ssh-rsa ` + letters(40) + `"}`,
		"sort key: name", "secret_name: a", "the task-force-of-2024-is-a-long-name-indeed", "disk-" + letters(30),
		"-----BEGIN CERTIFICATE-----\n" + letters(64) + "\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
		"http://localhost:8080/@scope/name", "https://example.com/a?b=c@d.e", "mail: a:b@example.com", "//comment: a@b",
		"Authorization: required", "the bearer of this letter", "basic authentication", "eyJ", "eyJabc.def", "AKIASHORT", "AKIA" + strings.Repeat("A", 40),
		"gh" + "p_short", "npm_config_registry=x", "[redacted: aws-key]", `password="[redacted: password]"`, "pwd\n/home/user",
		"fetch(url, {credentials: 'include'})", `{"credentials":"same-origin"}`, "const token = req.headers.authorization;",
		"self.password = password", "login(user=user, password=password)", "password = request.form['password']", `api_key = os.environ["API_KEY"]`,
		"let secret = config.secret", "secret=args[1]", "password: SecretStr\n", `{"token":"understanding","logprob":-0.1}`, `{"type":"token","value":"identifier"}`,
		`{"forgot_password":"Forgot your password?","password":"Password"}`, "paginationToken=" + letters(20), `{"skiptoken":"` + letters(20) + `"}`,
		"Authorization: Bearer YOUR_TOKEN_HERE", "api_key=your-api-key", "bypass=letmethrough", "pass: ok", "--password STRING  the password", "--token -v1beta123",
		`{"name":"color","value":"blue","note":"change password","more":1}`, `{"title":"change password","value":"blue"}`, "password: |\nuser: a", "password\nvalued: x1y2z3",
		"--- PASS: TestVet/7 (0.19s)\n", "PASS: tests/run1\n", `<a accesskey="n">`, `append(env, "PWD="+dir)`, "PWD=/home/ann1", "password:%s\n", "secret = %x, want", "token=REDACTED_TOKEN",
		"self.private_key = private_key", "if e.token == lookAhead {", "token = Whitespace\n", `{"progressToken":"` + letters(20) + `","plan_token":"` + letters(26) + `"}`, `the authorization: 403 scope="admin"`,
		"2.7.2. Basic Options", "SHARED_TOKEN = 0x0080", "if (aliceSecret === bobSecret) {",
		"Cookie: theme=dark; lang=en", "cookie: a=1; consent=accepted-all-of-them", "<label>Password</label>", "<password>\n</password>", "<token>function</token>", "<input password>x1y2z3",
		`{"secrets":[],"value":"x1y2z3"}`, `["password","value"]`,
		"git commit 0123456789abcdef0123456789abcdef01234567", "550e8400-e29b-41d4-a716-446655440000",
	} {
		if got, n := defaults().Text(text); got != text || n != 0 {
			t.Errorf("Text(%q) = %q, %d", text, got, n)
		}
	}
}

// embeddings are the ways in which text gets into JSON.
var embeddings = map[string]func(string) string{
	"value":        func(s string) string { return `{"a":` + quote(s) + `,"b":[1,2]}` },
	"element":      func(s string) string { return `[` + quote(s) + `,` + quote(s) + `]` },
	"no HTML":      func(s string) string { return `{"log": ` + quoteAs(s, false) + ` }` },
	"slashes":      func(s string) string { return `{"log":` + strings.ReplaceAll(quote(s), "/", `\/`) + `}` },
	"in a string":  func(s string) string { return `{"body":` + quote(`{"x":`+quote(s)+`,"y":1}`) + `}` },
	"twice":        func(s string) string { return quote(quote(`{"x":` + quote(s) + `}`)) },
	"after tab":    func(s string) string { return `["\t` + quote(s)[1:] + `]` },
	"after line":   func(s string) string { return `["one\n` + quote(s)[1:] + `,"\u0026"]` },
	"after escape": func(s string) string { return `["\u0026` + quote(s)[1:] + `]` },
	"slashes, in":  func(s string) string { return quote(strings.ReplaceAll(quote(s), "/", `\/`)) },
	"CRLF":         func(s string) string { return quote(strings.ReplaceAll(s, "\n", "\r\n")) },
}

func quote(s string) string { return quoteAs(s, true) }

func quoteAs(s string, html bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// TestRedactW35JSON puts every sample into JSON in every way: nothing of the
// secret is left, and the JSON has the same structure.
func TestRedactW35JSON(t *testing.T) {
	for _, s := range samples {
		for name, embed := range embeddings {
			doc := embed(s.text())
			got, n := defaults().Text(doc)
			if !json.Valid([]byte(got)) {
				t.Errorf("%s of %s breaks: %s\nbecomes %s", name, s.rule, doc, got)
				continue
			}
			if a, b := shapeOf(doc), shapeOf(got); a != b {
				t.Errorf("%s of %s: structure %s becomes %s", name, s.rule, a, b)
			}
			if n == 0 || leaks(got, s.secret) {
				t.Errorf("%s of %s leaks: %s", name, s.rule, got)
			}
			if again, n := defaults().Text(got); again != got || n > 0 {
				t.Errorf("%s of %s is not stable: %s becomes %s", name, s.rule, got, again)
			}
		}
	}
}

// leaks reports whether a fourth of the secret is left.
func leaks(text, secret string) bool {
	plain := strings.NewReplacer(`\`, "", "\n", "").Replace
	text, secret = plain(text), plain(secret)
	n := max(len(secret)/4, 4)
	for i := 0; i+n <= len(secret); i++ {
		part := secret[i : i+n]
		if strings.Contains(text, part) && !strings.Contains("-----BEGIN PRIVATE KEY-----", part) {
			return true
		}
	}
	return false
}

// shapeOf returns JSON with all strings that are values, and the escapes in
// them, taken out.
func shapeOf(doc string) string {
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return err.Error()
	}
	var strip func(any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case string:
			return ""
		case []any:
			for i := range v {
				v[i] = strip(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = strip(v[k])
			}
		}
		return v
	}
	out, _ := json.Marshal(strip(v))
	return string(out)
}

func TestRedactW35Numbers(t *testing.T) {
	for doc, want := range map[string]string{
		`{"password":123456,"a":1}`:          `{"password":"[redacted: password]","a":1}`,
		`{"passcode" : 4711 }`:               `{"passcode" : "[redacted: password]" }`,
		`"{\"password\":123456}"`:            `"{\"password\":\"[redacted: password]\"}"`,
		`{"token":123456,"password":false}`:  `{"token":123456,"password":false}`,
		`{"password":12.5,"password_age":9}`: `{"password":12.5,"password_age":9}`,
	} {
		if got, _ := defaults().Text(doc); got != want {
			t.Errorf("Text(%s) = %s, want %s", doc, got, want)
		}
	}
}

func TestRedactW35OwnRules(t *testing.T) {
	r := redact.New(append(redact.DefaultRules(),
		redact.Rule{Name: "ticket", Hint: "TICKET", Pattern: regexp.MustCompile(`(?i)ticket (\d+)`), Group: 1},
		redact.Rule{Name: "digits", Pattern: regexp.MustCompile(`n\d{4}`)},
	)...)
	for text, want := range map[string]string{
		"Ticket 42, ticket 43": "Ticket [redacted: ticket], ticket [redacted: ticket]",
		`["\n1234", "n1234"]`:  `["\n[redacted: digits]", "[redacted: digits]"]`,
		"password=n1234x":      "password=[redacted: password]",
		"nothing":              "nothing",
	} {
		if got, _ := r.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNewMistakes(t *testing.T) {
	one := regexp.MustCompile("a")
	for _, rule := range []redact.Rule{
		{Name: "no-pattern"}, {Pattern: one}, {Name: `quo"te`, Pattern: one}, {Name: "group", Pattern: one, Group: 1}, {Name: "minus", Pattern: one, Group: -1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("rule %+v is taken", rule)
				}
			}()
			redact.New(rule)
		}()
	}
}

// TestRedactLinear has what makes a careless search quadratic: at that, the
// megabytes below would take minutes.
func TestRedactLinear(t *testing.T) {
	for _, s := range []string{
		"eyJ", "eyJ.", "sk-", " sk-", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----.", "-----BEGIN PRIVATE KEY-----\"", "://a", "x://", "x://a:b", "x:/\\",
		"password=", "password:", "password=\"", `password=\"`, "password='", "password ", `"password":`, `\`, `\\"`, "authorization:", "authorization: a", "bearer ", "basic ", "basic a",
		"ghp_", "AKIA", "token=", "key=", "[redacted: ", "-----", "password=\\", "password1",
		"password: |\n  ", "  password: |\n", `password: |\n  `, `password: |\\`, "password\n", "password,", `"password","value"`, `"--password",`, "--password ", "password: !a ", "cookie: a=", "<password>", "<password>\\", `password\u003d`,
	} {
		r := defaults()
		text := strings.Repeat(s, (1<<20)/len(s))
		for _, text := range []string{text, text + `"`, `"` + text + "'"} {
			got, _ := r.Text(text)
			if again, n := r.Text(got); n > 0 && again != got {
				t.Errorf("many %q: not stable", s)
			}
		}
	}
}

func ExampleNew() {
	r := redact.New(append(redact.DefaultRules(),
		redact.Rule{Name: "badge", Hint: "badge", Pattern: regexp.MustCompile(`badge (\w+)`), Group: 1})...)
	text, n := r.Text(`{"note":"badge x7f", "password":"hunter2"}`)
	fmt.Println(text, n)
	// Output: {"note":"badge [redacted: badge]", "password":"[redacted: password]"} 2
}

func FuzzFilter(f *testing.F) {
	for _, s := range samples {
		f.Add(s.text())
		for _, embed := range embeddings {
			f.Add(embed(s.text()))
		}
	}
	r := defaults()
	f.Fuzz(func(t *testing.T, text string) {
		got, n := r.Text(text)
		if n == 0 && got != text {
			t.Errorf("%q becomes %q without a secret", text, got)
		}
		if again, _ := r.Text(got); again != got {
			t.Errorf("not stable: %q becomes %q, and that %q", text, got, again)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("JSON breaks: %s becomes %s", text, got)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	r := defaults()
	row := `{"id":12345,"title":"Fix the token parser","user":{"login":"someone","url":"https://example.com/u/someone"},"key":"a.b","tokens":12},` + "\n"
	text := strings.Repeat(row, (10<<20)/len(row))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}

func TestDefaultRulesAreNew(t *testing.T) {
	rules := redact.DefaultRules()
	rules = slices.DeleteFunc(rules, func(r redact.Rule) bool { return r.Name == "password" })
	if got, _ := redact.New(rules...).Text("password=hunter2"); got != "password=hunter2" {
		t.Errorf("the rule is still there: %q", got)
	}
	if got, _ := defaults().Text("password=hunter2"); got == "password=hunter2" {
		t.Errorf("the rule is gone from all: %q", got)
	}
}
