package skillext

import (
	"net/url"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// Names of the extension.
const (
	ID            = "io.modelcontextprotocol/skills"
	MethodList    = "skills/list"
	MethodGet     = "skills/get"
	MethodReadDir = "resources/directory/read"
	DirectoryRead = "directoryRead"   // the setting of servers with MethodReadDir
	DirectoryType = "inode/directory" // the media type of directories
	Dynamic       = "dynamic"         // in place of the list of a skill's files
	Markdown      = "text/markdown"
	Scheme        = "skill://"
)

// DigestPrefix is the beginning of a digest. 64 hexadecimal digits follow.
const DigestPrefix = "sha256:"

// rootOf returns the URI of the directory of a skill.
func rootOf(s *registry.Skill, a *registry.AgentSkill) string {
	if s.Namespace() == "" {
		return Scheme + a.Name
	}
	return Scheme + strings.ToLower(s.Namespace()) + "/" + a.Name
}

// escaped returns a path of a file as part of a URI.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
