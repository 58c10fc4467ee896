package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// resourcePath is the well-known path of metadata of a resource, before the resource's own path (RFC 9728, section
// 3.1).
const resourcePath = "/.well-known/oauth-protected-resource"

// checkResource returns the error of a Resource that OAuth clients could not use.
func (o *Options) checkResource() error {
	if o.Resource == nil {
		return nil
	}
	u, err := url.Parse(o.Resource.Resource)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "":
		return errors.New("the option Resource: the field Resource is the URL of the endpoint, such as https://api.example/mcp")
	case len(o.Resource.AuthorizationServers) == 0:
		return errors.New("the option Resource has no AuthorizationServers: clients would not know where to get a token")
	case o.Token != nil && o.Token.ResourceMetadataURL != "" && o.Token.ResourceMetadataURL != o.metadataURL():
		return errors.New("the options Resource and Token.ResourceMetadataURL name different URLs: leave out the latter")
	}
	return nil
}

// metadataURL is where clients find the metadata of the resource.
func (o *Options) metadataURL() string {
	u, _ := url.Parse(o.Resource.Resource) // Check has seen it
	return u.Scheme + "://" + u.Host + resourcePath + strings.TrimSuffix(u.EscapedPath(), "/")
}

// bearer returns the options for tokens, with which status 401 tells clients where the metadata is.
func (o *Options) bearer() *auth.RequireBearerTokenOptions {
	if o.Resource == nil {
		return o.Token
	}
	var own auth.RequireBearerTokenOptions
	if o.Token != nil {
		own = *o.Token
	}
	own.ResourceMetadataURL = o.metadataURL()
	return &own
}

// ResourceHandler serves [Options.Resource] to OAuth clients (RFC 9728). It returns its path too, for
// mux.Handle(server.ResourceHandler()). Mount it outside of logins. It panics without that option.
func (s *Server) ResourceHandler() (path string, h http.Handler) {
	if s.opts.Resource == nil {
		panic("serve: ResourceHandler without the option Resource")
	}
	u, _ := url.Parse(s.opts.metadataURL())
	return u.EscapedPath(), auth.ProtectedResourceMetadataHandler(s.opts.Resource)
}
