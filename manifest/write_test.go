package manifest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR114WriteIsReadable(t *testing.T) {
	m := shop()
	m.Publisher = `no: "quotes" \ # 'and' marks`
	got, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if want := readFile(t, "shop.yaml"); !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestR114WriteKeepsTexts holds that texts which YAML could take for something
// else stay texts for a reader that knows nothing of manifests.
func TestR114WriteKeepsTexts(t *testing.T) {
	for _, s := range []string{
		"yes", "No", "on", "~", "null", "1.0", "0x1f", "1_000", "12:30:45", "2026-04-24", ".inf", "1e3", "=", "<<", "*a", "&a", "!a",
		"- a", "? a", "a: b", "a #b", "%TAG", "@a", "`a", "{a", "[a", "|", ">", `\`, `"`, `\"`, `a\nb`, "'", "é", "😀", "\u00b7", "#", "---", "...",
	} {
		m := shop()
		m.Publisher, m.Copyright = s, s
		m.Namespaces[0] = manifest.Namespace{Suggested: s, Description: s}
		doc, err := m.YAML()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		var read struct {
			Publisher, Copyright any
			Namespaces           []map[string]any
		}
		if err := yaml.Unmarshal(doc, &read); err != nil {
			t.Fatalf("%q: %v\n%s", s, err, doc)
		}
		if read.Publisher != s || read.Copyright != s || read.Namespaces[0]["suggested"] != s || read.Namespaces[0]["description"] != s {
			t.Errorf("%q becomes %+v", s, read)
		}
		roundTrip(t, m)
	}
}

func TestR115JSON(t *testing.T) {
	m := shop()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"cash_version":"0.1.1","last_updated":"2026-04-24","publisher":"Example Shop","copyright":"2026 Example Shop",` +
		`"endpoint":"https://mcp.shop.example/mcp","cache_ttl":600,"authentication":{"scheme":"bearer","docs_url":"https://shop.example/docs"},` +
		`"namespaces":[{"suggested":"orders","description":"Create and manage customer orders."},` +
		`{"suggested":"stock-levels","description":"Query and update stock levels."}],` +
		`"skills":[{"name":"create-order-with-check","description":"Check the stock, then create an order."}]}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	var back manifest.Manifest
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(&back, m) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"cash_version":"1"}`), &back); err == nil || back.Version != m.Version {
		t.Errorf("half a manifest: %v, %+v", err, back)
	}
}

func TestR131WriteTTL(t *testing.T) {
	for ttl, want := range map[time.Duration]string{
		0: "", manifest.NoCache: "cache_ttl: 0\n", -time.Hour: "cache_ttl: 0\n", time.Second: "cache_ttl: 1\n",
	} {
		m := shop()
		m.CacheTTL = ttl
		doc, err := m.YAML()
		if err != nil || strings.Contains(string(doc), "cache_ttl") != (want != "") || !strings.Contains(string(doc), want) {
			t.Errorf("%v: %v\n%s", ttl, err, doc)
		}
		roundTrip(t, m)
	}
}

// TestR114WriteSize holds that nothing is written that would not be read.
func TestR114WriteSize(t *testing.T) {
	m := shop()
	for range 1200 {
		m.Skills = append(m.Skills, manifest.Skill{Name: "s", Description: strings.Repeat("x", 1000)})
	}
	_, yamlErr := m.YAML()
	_, jsonErr := m.MarshalJSON()
	for _, err := range []error{yamlErr, jsonErr} {
		if err == nil || !strings.Contains(err.Error(), "at most 1048576 are read") {
			t.Errorf("got %v", err)
		}
	}
}

// roundTrip holds that both forms of a manifest read back as the same value,
// which is its own form from then on. It reports whether there are forms.
func roundTrip(t *testing.T, m *manifest.Manifest) bool {
	t.Helper()
	doc, err := m.YAML()
	data, jsonErr := m.MarshalJSON()
	if err != nil || jsonErr != nil {
		if m.Check() == nil && len(doc) < manifest.MaxSize/2 && len(data) < manifest.MaxSize/2 && small(m) {
			t.Errorf("passes Check, cannot be written: %v, %v", err, jsonErr)
		}
		return false
	}
	fromYAML, err := manifest.Parse(doc)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	fromJSON, err := manifest.Parse(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if !reflect.DeepEqual(fromYAML, fromJSON) {
		t.Fatalf("YAML %+v\nJSON %+v", fromYAML, fromJSON)
	}
	again, err := fromYAML.YAML()
	if err != nil || !bytes.Equal(again, doc) {
		t.Fatalf("%v: written again\n%s\nbefore\n%s", err, again, doc)
	}
	return true
}

// small reports whether a manifest is surely within the size.
func small(m *manifest.Manifest) bool { return len(m.Namespaces)+len(m.Skills) < 50 }

func FuzzRoundTrip(f *testing.F) {
	f.Add("0.1.1", "2026-04-24", "Shop", "https://mcp.example/", "bearer", "orders", "Create orders.", int64(60))
	f.Add("1.0", "2026-04-24T10:00Z", "\"\\\x1b\u2028é\u0085", "shop --stdio", "", "yes", "~\n", int64(-1))
	f.Add("null", "2026-04-24", "*a", "https://é.example/\\", "none", ": #", "\ufeff😀\ufffe", int64(0))
	f.Fuzz(func(t *testing.T, version, updated, text, endpoint, scheme, name, description string, ttl int64) {
		m := &manifest.Manifest{
			Version: version, LastUpdated: updated, Publisher: text, Copyright: description, Endpoint: endpoint,
			CacheTTL:   time.Duration(ttl%1e9) * time.Second,
			Namespaces: []manifest.Namespace{{Suggested: name, Description: description}},
			Skills:     []manifest.Skill{{Name: name, Description: text}},
		}
		if scheme != "" {
			m.Authentication = &manifest.Authentication{Scheme: manifest.Scheme(scheme), DocsURL: endpoint}
		}
		if ok := roundTrip(t, m); ok != (m.Check() == nil) {
			t.Errorf("written: %v; Check: %v", ok, m.Check())
		}
	})
}

// FuzzParse holds that whatever is read passes Check, is clean, and can be
// written and read again; and that whatever is not says so in a short line.
func FuzzParse(f *testing.F) {
	f.Add(readFile(f, "rfc.yaml"))
	f.Add(readFile(f, "shop.yaml"))
	f.Add([]byte(minimal("Shop", "&a Shop", "Create orders.", "*a")))
	f.Add([]byte("{\"cash_version\":1,\"cash_version\":2}"))
	f.Add([]byte("%TAG ! a\n---\n? [a]\n: !!binary x\n<<: *y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse(data)
		if err != nil {
			var e *manifest.Error
			if m != nil || !errors.As(err, &e) || len(err.Error()) > 500 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Fatalf("%v, %q", m, err)
			}
			return
		}
		if err := m.Check(); err != nil {
			t.Fatalf("%v: %+v", err, m)
		}
		for _, s := range []string{m.Version, m.Publisher, m.Copyright, m.Endpoint, m.Namespaces[0].Suggested, m.Namespaces[0].Description} {
			if len(s) > 8192 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
				t.Fatalf("%q", s)
			}
		}
		m.Warnings()
		if !roundTrip(t, m) && small(m) {
			t.Fatalf("cannot be written: %+v", m)
		}
	})
}
