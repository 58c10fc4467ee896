package manifest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR129CheckEndpoint(t *testing.T) {
	const source = "https://mcp.example:443/.well-known/cash-mcp.yaml"
	trusted := []string{"Other.Example.", "ports.example:8443", "http://127.0.0.1:8080/mcp?a=b", "https://one.example/only"}
	long := strings.Repeat("a", 64)
	for _, tt := range []struct {
		endpoint, want string // the URL, or what the refusal says
		ok             bool
	}{
		{"https://mcp.example/mcp", "https://mcp.example/mcp", true},
		{"https://MCP.Example", "https://mcp.example/", true},
		{"HTTPS://mcp.example.:0443/a?b=c#d", "https://mcp.example/a?b=c", true},
		{"https://ｍｃｐ.example/", "https://mcp.example/", true}, // full width, as browsers read it
		{"https://mcp。example/", "https://mcp.example/", true},
		{"https://mcp．example｡/", "https://mcp.example/", true},
		{"https://mcp.example:/x", "https://mcp.example/x", true},
		{"https://mcp.example/a%2Fb", "https://mcp.example/a%2Fb", true},

		{"https://mcp.example:8443/", "another host", false},
		{"https://mcp.example.evil.com/", "another host", false},
		{"https://evil-mcp.example/", "another host", false},
		{"https://sub.mcp.example/", "another host", false},
		{"https://example/", "another host", false},
		{"https://mcp.example@evil.com/", "user name or password", false},
		{"https://@mcp.example/", "user name or password", false},
		{"https://a:b@mcp.example/", "user name or password", false},
		{`https://mcp.example\@evil.com/`, "not a URL", false},
		{"https://mcp.example\t/", "not a URL", false},
		{"https://mcp%2eexample/", "not a URL", false},
		{"https://mcp.example%00.evil.com/", "not a URL", false},
		{"https://mcp.example:0/", "port", false},
		{"https://mcp.example:65536/", "port", false},
		{"https://mcp.example:443:8443/", "", false},
		{"https://mcp..example/", "empty label", false},
		{"https://mcp.example../", "empty label", false},
		{"https://mcp.example。evil.com/", "another host", false},
		{"https://127。0。0。1/", "neither a name nor an IP address", false},
		{"https://mİcp.example/", "character", false}, // an i to some, i and a dot to others
		{"https://straẞe.example/", "character", false},
		{"https://mcp\ufe0f.example/", "character", false},
		{"https://mcp\u034f.example/", "character", false},
		{"https://mcp\u3164.example/", "character", false},
		{"https://mcp.exam\u200bple/", "character", false},
		{"https://mcp.exampl℮/", "character", false},
		{"https://mcp.example☃/", "character", false},
		{"https://mcp.exa mple/", "not a URL", false},
		{"https://" + long + ".example/", "too long", false},
		{"https://" + strings.Repeat("é", 55) + "/", "another host", false},
		{"https://" + strings.Repeat("é", 63) + "/", "too long", false}, // in Punycode
		{"https://" + strings.Repeat("éぁ", 31) + "/", "too long", false},
		{"https://" + strings.Repeat("a.", 130) + "example/", "too long", false},
		{"https://xn--é/", "Punycode", false},
		{"https://mcp.ехample/", "another host", false}, // Cyrillic
		{"https://2130706433/", "neither a name nor an IP address", false},
		{"https://127.1/", "neither a name nor an IP address", false},
		{"https://0x7f.0x1/", "neither a name nor an IP address", false},
		{"https://[fe80::1%25eth0]/", "zone", false},
		{"https:mcp.example", "names no host", false},
		{"https:///mcp", "names no host", false},
		{"http://mcp.example/", "does not use https", false},
		{"http://mcp.example:443/", "does not use https", false},
		{"wss://mcp.example/", "commands are never taken", false},

		{"https://other.example/x", "https://other.example/x", true},
		{"https://OTHER.example:443/x", "https://other.example/x", true},
		{"http://other.example/x", "does not use https", false},
		{"https://other.example:444/x", "another host", false},
		{"https://ports.example:8443/", "https://ports.example:8443/", true},
		{"https://ports.example/", "another host", false},
		{"http://127.0.0.1:8080/mcp?a=b", "http://127.0.0.1:8080/mcp?a=b", true},
		{"http://127.0.0.1:8080/mcp", "does not use https", false},
		{"https://one.example/only", "https://one.example/only", true},
		{"https://one.example/other", "another host", false},
	} {
		u, err := manifest.CheckEndpoint(tt.endpoint, source, trusted...)
		if tt.ok && (err != nil || u.String() != tt.want) {
			t.Errorf("%.80q: %v, %v; want %s", tt.endpoint, u, err, tt.want)
		}
		if !tt.ok {
			wantKind(t, tt.endpoint, err, manifest.KindUnsafe, tt.want)
			if u != nil || err != nil && strings.Contains(err.Error(), "evil") {
				t.Errorf("%.80q: %v, %v", tt.endpoint, u, err)
			}
		}
	}
}

// wantKind checks the kind and words of an error of a fetch.
func wantKind(t *testing.T, what string, err error, kind manifest.Kind, words string) *manifest.FetchError {
	t.Helper()
	var e *manifest.FetchError
	if !errors.As(err, &e) || e.Kind != kind || !strings.Contains(e.Error(), words) || len(e.Error()) > 400 {
		t.Errorf("%.100s: got %v, want an error of kind %v that says %q", what, err, kind, words)
		return new(manifest.FetchError)
	}
	return e
}

// TestR129IDNA holds that a name in its own script and in Punycode is one host,
// and that it is the one that net/http would dial.
func TestR129IDNA(t *testing.T) {
	for name, want := range map[string]string{
		"bücher.example":        "xn--bcher-kva.example",
		"BÜCHER.example":        "xn--bcher-kva.example",
		"bu\u0308cher.example":  "xn--bcher-kva.example",
		"XN--BCHER-KVA.example": "xn--bcher-kva.example",
		"例え.テスト":                "xn--r8jz45g.xn--zckzah",
		"пример.испытание":      "xn--e1afmkfd.xn--80akhbyknj4f",
		"ελληνικά.example":      "xn--hxargifdar.example",
		"straße.example":        "xn--strae-oqa.example",
		"faß.de":                "xn--fa-hia.de",
		"한국.example":            "xn--3e0b707e.example",
		"ไทย.example":           "xn--o3cw4h.example",
		"ａｂｃ.example":           "abc.example",
		"例え。テスト":                "xn--r8jz45g.xn--zckzah",
		"3com.example":          "3com.example",
		"[2001:DB8::1]":         "[2001:db8::1]",
		"[::ffff:192.0.2.1]":    "192.0.2.1",
		"192.0.2.1":             "192.0.2.1",
	} {
		u, err := manifest.CheckEndpoint("https://"+name+"/", "https://"+want+"/")
		if err != nil || u.Host != want {
			t.Errorf("%s: %v, %v; want %s", name, u, err, want)
			continue
		}
		if !strings.Contains(name, ":ffff:") && dialled(t, "https://"+name+"/") != strings.ToLower(net.JoinHostPort(strings.Trim(want, "[]"), "443")) {
			t.Errorf("%s: net/http dials %s, CheckEndpoint says %s", name, dialled(t, "https://"+name+"/"), want)
		}
	}
}

// TestR129IDNATables holds that names are read by the tables of IDNA, as net/http does.
// Rules of case and normalisation alone lead to another host, or take what IDNA refuses.
func TestR129IDNATables(t *testing.T) {
	for label, want := range map[string]string{
		"a\u0345b": "xn--ab-09b", "a\u13a4b": "xn--ab-b9l", "a\u13aab": "xn--ab-t9l", "a\u13b0b": "xn--ab-cbm", "a\u13bcb": "xn--ab-dcm",
		"a\u13c2b": "xn--ab-vcm", "a\u13ceb": "xn--ab-wdm", "a\u13d4b": "xn--ab-fem", "a\u13e0b": "xn--ab-gfm",
		"a\u13ecb": "xn--ab-hgm", "a\u13f2b": "xn--ab-zgm", "a\u13fab": "xn--ab-zgm", "a\u1c82b": "xn--ab-fmc", "a\u1c88b": "xn--ab-967h",
		"a\u1f85b": "xn--ab-09b560z", "a\u1f8bb": "xn--ab-09b750z", "a\u1f91b": "xn--ab-09b771z", "a\u1fa3b": "xn--ab-09b144z",
		"a\u1fc2b": "xn--ab-09b905z", "a\u1ff3b": "xn--ab-09b7d", "a\uab72b": "xn--ab-48l", "a\uab78b": "xn--ab-n9l", "a\uab84b": "xn--ab-obm",
		"a\uab90b": "xn--ab-pcm", "a\uab9cb": "xn--ab-qdm", "a\uaba8b": "xn--ab-rem", "a\uabb4b": "xn--ab-sfm", "a\U0001d6d3b": "xn--ab-vbc",
	} {
		name := label + ".example"
		u, err := manifest.CheckEndpoint("https://"+name+"/", "https://"+name+"/")
		if err != nil || u.Host != want+".example" {
			t.Errorf("%+q: %v, %v; want %s", label, u, err, want)
		} else if got := dialled(t, "https://"+name+"/"); got != u.Host+":443" {
			t.Errorf("%+q: net/http dials %s, CheckEndpoint says %s", label, got, u.Host)
		}
	}
	for _, label := range []string{
		"\u0300", "\u0593", "a\u063eb", "a\u06b1b", "\u074a", "a\u07d3b", "\u08f3", "\u0b44", "\u0e37", "\u1039", "\u135e", "\u1ab5", "\u1cdf", "\u2de1",
		"\ua94f", "a\ufb56b", "a\ufbf0b", "a\ufc71b", "a\ufef2b", "a\U00010875b", "\U00011044", "\U00011372", "\U00016f7d", "\U0001d189", "a\U0001ee02b",
		"xn--\u00e9", "-b\u00fccher", "b\u00fccher-", "b\u00fc_cher", "ab--\u00fccher",
	} {
		_, err := manifest.CheckEndpoint("https://mcp.example/", "https://"+label+".example/")
		wantKind(t, label, err, manifest.KindConfig, "host name")
	}
	// What holds for a name as a whole: a name from the right has no label that begins
	// with a digit, and a name in another script no label with an underscore.
	for _, name := range []string{"3com.\u05d0\u05d1", "_a.b\u00fccher.example"} {
		_, err := manifest.CheckEndpoint("https://mcp.example/", "https://"+name+"/")
		wantKind(t, name, err, manifest.KindConfig, "IDNA refuses")
	}
}

// dialled returns the address that net/http dials for a URL, in lower case.
func dialled(t *testing.T, raw string) (address string) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	tr := &http.Transport{DialContext: func(_ context.Context, _, a string) (net.Conn, error) {
		address = strings.ToLower(a)
		return nil, stop
	}}
	if _, err := tr.RoundTrip(&http.Request{Method: "GET", URL: u, Header: make(http.Header)}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	return address
}

// TestR130CommandsAreNeverTaken holds even where the operator trusts the text.
func TestR130CommandsAreNeverTaken(t *testing.T) {
	for _, endpoint := range []string{"stdio:shop", "stdio://shop", "npx -y server", "/bin/sh -c x", "file:///bin/sh", "", " https://mcp.example/", "unix:/run/x"} {
		_, err := manifest.CheckEndpoint(endpoint, "https://mcp.example/m")
		e := wantKind(t, endpoint, err, manifest.KindUnsafe, "never taken from a manifest")
		if e.Host != "mcp.example" || !strings.HasPrefix(e.Error(), "fetching the manifest of mcp.example: ") {
			t.Errorf("%q: %v", endpoint, e)
		}
	}
}

func TestR128Config(t *testing.T) {
	for source, words := range map[string]string{
		"http://mcp.example/m": "over https only", "mcp.example": "no https URL", "": "no https URL", "ftp://x/": "no https URL",
		"https://u:p@mcp.example/": "user name or password", "https://a b/": "not a URL", "https://" + strings.Repeat("a", 9000): "too long",
	} {
		_, err := manifest.CheckEndpoint("https://mcp.example/", source)
		wantKind(t, source, err, manifest.KindConfig, words)
	}
	for _, entry := range []string{"", "a b", "user@mcp.example", "mcp.example?x", "*.example", "ftp://x/", "mcp.example:0", "::1"} {
		_, err := manifest.CheckEndpoint("https://mcp.example/", "https://mcp.example/", entry)
		wantKind(t, entry, err, manifest.KindConfig, "the trusted endpoint")
		_, err = manifest.NewFetcher(&manifest.FetchOptions{Trusted: []string{entry}})
		wantKind(t, entry, err, manifest.KindConfig, "the trusted endpoint")
	}
}

// FuzzCheckEndpoint holds that what passes is on the host, and that net/http
// will dial that host for it.
func FuzzCheckEndpoint(f *testing.F) {
	for _, s := range []string{"https://mcp.example/mcp", "https://MCP.example.:443", "https://mcp.example@evil/", "https://ⅯCP.example\\", "https://[::1]/", "stdio:x",
		"https://ｍｃｐ。example", "https://bücher.example/", "https://xn--é/", "https://a\u13a4b.example/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		u, err := manifest.CheckEndpoint(endpoint, "https://mcp.example/m")
		if err != nil {
			if u != nil || len(err.Error()) > 400 {
				t.Fatalf("%q: %v, %v", endpoint, u, err)
			}
		} else if u.Scheme != "https" || u.Host != "mcp.example" || u.User != nil || u.Fragment != "" || dialled(t, u.String()) != "mcp.example:443" {
			t.Fatalf("%q passes as %v", endpoint, u)
		}
		// As its own source, an endpoint passes exactly if it is an https URL.
		u, err = manifest.CheckEndpoint(endpoint, endpoint)
		if err != nil {
			return
		}
		again, err := manifest.CheckEndpoint(u.String(), endpoint)
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q passes as %v, and then as %v, %v", endpoint, u, again, err)
		}
	})
}
