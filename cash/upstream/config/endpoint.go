package config

import (
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// endpoint returns an upstream's endpoint from either the URL keys or the command keys.
func (m *mapping) endpoint() upstream.Endpoint {
	s, _ := m.url("endpoint")
	server := upstream.HTTP{URL: s.text, Header: m.header("headers")}
	sse := m.choice("transport", "http", "sse") == 1
	command := m.command()
	switch isURL, isCommand := m.has("endpoint"), m.has("command"); {
	case isURL && isCommand:
		m.unfit("command", "the upstream has an endpoint already: remove one of them")
	case !isURL && !isCommand:
		m.fail(m.node, m.field, "neither endpoint nor command: give the URL of the server, or the program to start")
	case isCommand:
		for _, key := range []string{"transport", "headers"} {
			m.unfit(key, "is for an endpoint, and the upstream has a command: remove it")
		}
		return command
	default:
		for _, key := range []string{"dir", "env", "inherit"} {
			m.unfit(key, "is for a command, and the upstream has an endpoint: remove it")
		}
	}
	if sse {
		return upstream.SSE(server)
	}
	return server
}

// unfit notes that a key is present that does not fit the others.
func (m *mapping) unfit(key, reason string) {
	if n, field := m.lookup(key); n != nil {
		m.fail(n, field, "%s", reason)
	}
}

// url returns an http or https URL. Errors never show it: it may hold secrets.
func (m *mapping) url(key string) (scalar, bool) {
	s, ok := m.get(key)
	if !ok {
		return s, false
	}
	u, err := url.Parse(s.text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		m.refuse(s, "not a URL such as https://mcp.example/mcp")
	case u.User != nil:
		m.refuse(s, "the URL has a user name or password: send credentials in headers, with ${env:NAME} for their values")
	case u.Opaque != "" || u.Hostname() == "":
		m.refuse(s, "the URL names no host")
	case u.Port() != "" && !isPort(u.Port()):
		m.refuse(s, "the port of the URL is not between 1 and 65535")
	default:
		return s, true
	}
	return s, false
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// command returns the command of an upstream, with its folder and environment.
func (m *mapping) command() upstream.Command {
	c := upstream.Command{Dir: m.path("dir"), Env: m.environment()}
	n, field := m.lookup("command")
	switch {
	case n == nil:
		return c
	case n.Kind == yaml.ScalarNode:
		m.fail(n, field, "one text where a list is wanted, such as [npx, -y, server]: there is no shell that would split it")
		return c
	}
	nodes, _ := m.list("command")
	if n.Kind == yaml.SequenceNode && len(nodes) == 0 {
		m.fail(n, field, "the list is empty: name the program")
	}
	for i, n := range nodes {
		s, ok := m.asScalar(n, element(field, i))
		switch {
		case !ok:
		case i > 0:
			c.Args = append(c.Args, s.text)
		case s.text == "":
			m.refuse(s, "empty: name the program")
		default:
			c.Path = m.program(s.text)
		}
	}
	return c
}

// program returns the name of a program to look up, or its absolute path.
func (r *reader) program(name string) string {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator) {
		return r.absolute(name)
	}
	return name
}

// environment returns the variables of env and inherit. Errors never show values.
func (m *mapping) environment() []string {
	var list []string
	given := make(map[string]bool)
	m.pairs("env", func(name *yaml.Node, value scalar) {
		if !isVariableName(name.Value) {
			m.fail(name, value.field, "not the name of a variable: %s", variableRule)
			return
		}
		given[name.Value] = true
		list = append(list, name.Value+"="+value.text)
	})
	for _, s := range m.names("inherit", "a variable") {
		switch {
		case !isVariableName(s.text):
			m.refuse(s, "not the name of a variable: %s", variableRule)
			continue
		case given[s.text]:
			m.refuse(s, "the variable %s is given already: remove one", quoteSource(s.node.Value))
			continue
		}
		given[s.text] = true
		value, set, err := m.variable(s.text)
		switch {
		case err != nil:
			m.refuse(s, "%v", err)
		case set:
			list = append(list, s.text+"="+value)
		}
	}
	return list
}

const variableRule = "letters, digits and underscores, of which a digit is not the first"

// header returns the headers of a mapping. Errors never show values.
func (m *mapping) header(key string) http.Header {
	var h http.Header
	m.pairs(key, func(name *yaml.Node, value scalar) {
		canonical := http.CanonicalHeaderKey(name.Value)
		switch {
		case !isToken(name.Value):
			m.fail(name, value.field, "not the name of a header")
		case ownHeader(canonical):
			m.fail(name, value.field, "the connection sets this header itself: remove it")
		case h[canonical] != nil:
			m.fail(name, value.field, "the header is given twice, in other letters: remove one")
		case !isHeaderValue(value.text):
			m.refuse(value, "the value has a line end or another control character, which headers cannot have: remove it from the value or its variable")
		default:
			if h == nil {
				h = make(http.Header)
			}
			h[canonical] = []string{value.text}
		}
	})
	return h
}

// isToken reports whether a text is a token of HTTP (RFC 9110, section 5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return text != ""
}

func isHeaderValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// ownHeader reports whether HTTP or MCP sets a header itself, so that a configured one would break or hijack the
// connection.
func ownHeader(canonical string) bool {
	switch canonical {
	case "Accept", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Host", "Keep-Alive",
		"Last-Event-Id", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return strings.HasPrefix(canonical, "Mcp-")
}
