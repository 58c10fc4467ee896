package manifest

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// MaxEntries bounds the namespaces, and the skills, of a manifest.
const MaxEntries = 10_000

// MaxStates bounds the states of a manifest.
const MaxStates = 100

// Bounds of the fields, in characters. Texts for people are cut; texts for programs are refused.
const (
	maxVersion     = 64
	maxURL         = 2048
	maxName        = 200
	maxCopyright   = 500
	maxDescription = 1000
)

// Check reports whether the manifest can be published, by the rules of Parse. The error is nil, or an *Error for
// the first invalid field. Texts for people are never invalid: writing cleans them, joins their lines and bounds
// their length.
func (m *Manifest) Check() error {
	_, err := m.publishable()
	return err
}

// publishable returns a copy in normal form that passes check.
func (m *Manifest) publishable() (*Manifest, error) {
	if m == nil {
		return nil, &Error{Reason: "there is no manifest"}
	}
	c := *m
	if m.Authentication != nil {
		a := *m.Authentication
		c.Authentication = &a
	}
	c.Namespaces = append([]Namespace(nil), m.Namespaces...)
	c.Skills = append([]Skill(nil), m.Skills...)
	c.State = append([]State(nil), m.State...)
	c.normalize()
	if err := c.check(); err != nil {
		return nil, err
	}
	return &c, nil
}

// normalize brings the fields into the form in which they are compared, written and returned. It refuses nothing:
// check does.
func (m *Manifest) normalize() {
	m.Version = strings.TrimSpace(m.Version)
	m.LastUpdated = dateOf(strings.TrimSpace(m.LastUpdated))
	m.Endpoint = strings.TrimSpace(m.Endpoint)
	m.Publisher = clean.Line(m.Publisher, maxName)
	m.Copyright = clean.Line(m.Copyright, maxCopyright)
	if m.CacheTTL < 0 {
		m.CacheTTL = NoCache
	}
	if a := m.Authentication; a != nil {
		a.Scheme = Scheme(strings.TrimSpace(string(a.Scheme)))
		a.DocsURL = strings.TrimSpace(a.DocsURL)
	}
	for i := range m.Namespaces {
		n := &m.Namespaces[i]
		n.Suggested = clean.Line(n.Suggested, maxName)
		n.Description = clean.Line(n.Description, maxDescription)
	}
	for i := range m.Skills {
		s := &m.Skills[i]
		s.Name = clean.Line(s.Name, maxName)
		s.Description = clean.Line(s.Description, maxDescription)
	}
	for i := range m.State {
		s := &m.State[i]
		s.Name = clean.Line(s.Name, maxName)
		s.Kept = Kept(strings.TrimSpace(string(s.Kept)))
		s.Description = clean.Line(s.Description, maxDescription)
	}
}

// dateOf returns the date of a timestamp.
func dateOf(text string) string {
	const day = len(time.DateOnly)
	if len(text) > day && strings.IndexByte("Tt ", text[day]) >= 0 && strings.Trim(text[day+1:], "0123456789:.+-Zz ") == "" {
		return text[:day]
	}
	return text
}

// check returns the first mistake in a manifest in normal form, in the order of RFC section 5.5.
func (m *Manifest) check() error {
	var c checker
	c.token("cash_version", m.Version, maxVersion)
	c.required("last_updated", m.LastUpdated)
	if _, err := time.Parse(time.DateOnly, m.LastUpdated); err != nil {
		c.fail("last_updated", "%s is not a date such as 2026-04-24", quote(m.LastUpdated))
	}
	c.required("publisher", m.Publisher)
	c.token("endpoint", m.Endpoint, maxURL)
	if isWeb(m.Endpoint) {
		c.web("endpoint", m.Endpoint)
	}
	c.ttl(m.CacheTTL)
	c.authentication(m.Authentication)
	if len(m.Namespaces) == 0 {
		c.fail("namespaces", "at least one entry is required")
	}
	c.entries("namespaces", len(m.Namespaces))
	c.entries("skills", len(m.Skills))
	for i, n := range m.Namespaces {
		c.pair("namespaces", i, "suggested", n.Suggested, n.Description)
	}
	for i, s := range m.Skills {
		c.pair("skills", i, "name", s.Name, s.Description)
	}
	c.states(m.State)
	if c.err == nil {
		return nil // a nil *Error in an error is not nil
	}
	return c.err
}

// A checker keeps the first reported problem.
type checker struct{ err *Error }

func (c *checker) fail(field, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Field: field, Reason: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) required(field, value string) {
	if value == "" {
		c.fail(field, "missing; it is required")
	}
}

// token checks a text for programs, which is never repaired.
func (c *checker) token(field, value string, most int) {
	c.required(field, value)
	switch n := utf8.RuneCountInString(value); {
	case n > most:
		c.fail(field, "%d characters; at most %d are allowed", n, most)
	case clean.Line(value, most) != value:
		c.fail(field, "%s has control characters, invisible ones or runs of blanks: remove them", quoteURL(value))
	}
}

// web checks a public http or https URL.
func (c *checker) web(field, value string) {
	c.token(field, value, maxURL)
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || !isWeb(value):
		c.fail(field, "%s is not a URL such as https://mcp.example/mcp", quoteURL(value))
	case u.User != nil:
		c.fail(field, "the URL has a user name or password: remove it")
	}
}

// isWeb reports whether an endpoint looks like an http or https URL, not like the description of a command.
func isWeb(endpoint string) bool {
	scheme, _, found := strings.Cut(endpoint, ":")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

func (c *checker) ttl(ttl time.Duration) {
	switch {
	case ttl > MaxTTL:
		c.fail("cache_ttl", "more than %d seconds", int64(MaxTTL/time.Second))
	case ttl > 0 && ttl%time.Second != 0:
		c.fail("cache_ttl", "not a whole number of seconds")
	}
}

func (c *checker) authentication(a *Authentication) {
	if a == nil {
		return
	}
	switch a.Scheme {
	case SchemeNone, SchemeBearer, SchemeAPIKey, SchemeOAuth2:
	case "":
		c.required("authentication.scheme", "")
	default:
		c.fail("authentication.scheme", "%s is not one of none, bearer, apikey, oauth2", quote(string(a.Scheme)))
	}
	if a.DocsURL != "" {
		c.web("authentication.docs_url", a.DocsURL)
	}
}

func (c *checker) entries(field string, n int) {
	if n > MaxEntries {
		c.fail(field, "%d entries; at most %d are allowed", n, MaxEntries)
	}
}

func (c *checker) states(list []State) {
	if len(list) > MaxStates {
		c.fail("x-state", "%d entries; at most %d are allowed", len(list), MaxStates)
	}
	for i, s := range list {
		c.pair("x-state", i, "name", s.Name, s.Description)
		if s.Kept != KeptProcess && s.Kept != KeptShared {
			c.fail(fmt.Sprintf("x-state[%d].kept", i), "%s is neither process nor shared", quote(string(s.Kept)))
		}
	}
}

// pair checks an entry with a name and a description.
func (c *checker) pair(list string, i int, key, name, description string) {
	if name == "" {
		c.required(fmt.Sprintf("%s[%d].%s", list, i, key), name)
	}
	if description == "" {
		c.required(fmt.Sprintf("%s[%d].description", list, i), description)
	}
}
