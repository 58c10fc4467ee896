package manifest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// document is the written form of a manifest, in the order of RFC section 5.5.
type document struct {
	Version        string          `json:"cash_version"`
	LastUpdated    string          `json:"last_updated"`
	Publisher      string          `json:"publisher"`
	Copyright      string          `json:"copyright,omitempty"`
	Endpoint       string          `json:"endpoint"`
	CacheTTL       *int64          `json:"cache_ttl,omitempty"`
	Authentication *authentication `json:"authentication,omitempty"`
	Namespaces     []namespace     `json:"namespaces"`
	Skills         []skill         `json:"skills,omitempty"`
	State          []state         `json:"x-state,omitempty"`
}

type authentication struct {
	Scheme  Scheme `json:"scheme"`
	DocsURL string `json:"docs_url,omitempty"`
}

type namespace struct {
	Suggested   string `json:"suggested"`
	Description string `json:"description"`
}

type skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type state struct {
	Name        string `json:"name"`
	Kept        Kept   `json:"kept"`
	Description string `json:"description"`
}

// toDocument returns the written form, or the error of Check.
func (m *Manifest) toDocument() (*document, error) {
	m, err := m.publishable()
	if err != nil {
		return nil, err
	}
	d := &document{
		Version: m.Version, LastUpdated: m.LastUpdated, Publisher: m.Publisher,
		Copyright: m.Copyright, Endpoint: m.Endpoint,
		Authentication: (*authentication)(m.Authentication),
	}
	if m.CacheTTL != 0 {
		seconds := int64(max(m.CacheTTL, 0) / time.Second)
		d.CacheTTL = &seconds
	}
	for _, n := range m.Namespaces {
		d.Namespaces = append(d.Namespaces, namespace(n))
	}
	for _, s := range m.Skills {
		d.Skills = append(d.Skills, skill(s))
	}
	for _, s := range m.State {
		d.State = append(d.State, state(s))
	}
	return d, nil
}

// YAML returns the manifest as YAML that Parse reads back. Fields are in the order of the specification. Texts are
// in double quotes, so that no reader takes one for a number, a date or a boolean. The error is that of Check, or
// that the document exceeds MaxSize.
func (m *Manifest) YAML() ([]byte, error) {
	d, err := m.toDocument()
	if err != nil {
		return nil, err
	}
	return sized(d.yaml(), nil)
}

// MarshalJSON is [Manifest.YAML] in JSON, the content of the resource ResourceURI (RFC section 5.6).
func (m Manifest) MarshalJSON() ([]byte, error) {
	d, err := m.toDocument()
	if err != nil {
		return nil, err
	}
	return sized(strictjson.Marshal(d))
}

// UnmarshalJSON is [Parse].
func (m *Manifest) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*m = *parsed
	return nil
}

// sized refuses documents over MaxSize.
func sized(data []byte, err error) ([]byte, error) {
	if err == nil && len(data) > MaxSize {
		err = &Error{Reason: fmt.Sprintf("%d bytes when written; at most %d are read: leave out skills, or shorten the descriptions", len(data), MaxSize)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func (d *document) yaml() []byte {
	var b bytes.Buffer
	line := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	line("cash_version", text(d.Version))
	line("last_updated", text(d.LastUpdated))
	line("publisher", text(d.Publisher))
	line("copyright", text(d.Copyright))
	line("endpoint", text(d.Endpoint))
	if d.CacheTTL != nil {
		line("cache_ttl", strconv.FormatInt(*d.CacheTTL, 10))
	}
	if a := d.Authentication; a != nil {
		b.WriteString("authentication:\n")
		line("  scheme", string(a.Scheme)) // a known word, which needs no quotes
		line("  docs_url", text(a.DocsURL))
	}
	b.WriteString("namespaces:\n")
	for _, n := range d.Namespaces {
		line("  - suggested", text(n.Suggested))
		line("    description", text(n.Description))
	}
	if len(d.Skills) > 0 {
		b.WriteString("skills:\n")
	}
	for _, s := range d.Skills {
		line("  - name", text(s.Name))
		line("    description", text(s.Description))
	}
	if len(d.State) > 0 {
		b.WriteString("x-state:\n")
	}
	for _, s := range d.State {
		line("  - name", text(s.Name))
		line("    kept", string(s.Kept)) // a known word
		line("    description", text(s.Description))
	}
	return b.Bytes()
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// text returns a scalar in double quotes; "" if it is empty. Texts in normal form have only visible characters and
// blanks, so nothing else needs an escape.
func text(value string) string {
	if value == "" {
		return ""
	}
	return `"` + escapes.Replace(value) + `"`
}
