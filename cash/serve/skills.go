package serve

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Skilled is a [Face] whose skills clients can import through the skills extension of MCP
// (io.modelcontextprotocol/skills, SEP-2640). Its server declares the extension to every client, whatever
// skills there are.
type Skilled interface {
	Face
	// Skills returns the source of the skills.
	Skills() registry.Source
}

// Parameters and results of the extension.
type (
	listSkills struct {
		mcp.ParamsBase
		Cursor string `json:"cursor,omitempty"`
	}
	getSkill struct {
		mcp.ParamsBase
		URI string `json:"uri"`
	}
	readDirectory struct {
		mcp.ParamsBase
		URI    string `json:"uri"`
		Cursor string `json:"cursor,omitempty"`
	}

	skillList struct {
		mcp.ResultBase
		ResultType string            `json:"resultType"`
		Skills     []json.RawMessage `json:"skills"`
		NextCursor string            `json:"nextCursor,omitempty"`
		cacheable
	}
	skillEntry struct {
		mcp.ResultBase
		ResultType string          `json:"resultType"`
		Skill      json.RawMessage `json:"skill"`
		cacheable
	}
	directory struct {
		mcp.ResultBase
		ResultType string           `json:"resultType"`
		Resources  []skillext.Child `json:"resources"`
		cacheable                   // some clients demand it of every list
	}

	// cacheable are the caching fields, from 2026-07-28 on.
	cacheable struct {
		TTL   *int64 `json:"ttlMs,omitempty"`
		Scope string `json:"cacheScope,omitempty"`
	}
)

const (
	skillsTimeout = 30 * time.Second
	skillsTTL     = time.Minute // how long clients may take an entry or a static file for current

	ownSkills    = "skill:" // our cursors: the URI of the last skill on the page before
	othersSkills = "after:" // cursors of the part after ours: other faces
	skillQuota   = "skill"  // the tool whose limits apply

	completed    = "complete"
	readResource = "resources/read"
)

// addSkills adds the skills extension to srv.
func (h *Host) addSkills(srv *mcp.Server, src registry.Source) {
	// The SDK needs handlers to decode the requests. They answer for what no face serves.
	must(mcp.AddReceivingCustomMethod(srv, skillext.MethodList, func(context.Context, *mcp.ServerSession, *listSkills) (*skillList, error) {
		return &skillList{ResultType: completed, Skills: []json.RawMessage{}}, nil
	}))
	must(mcp.AddReceivingCustomMethod(srv, skillext.MethodGet, func(context.Context, *mcp.ServerSession, *getSkill) (*skillEntry, error) {
		return nil, invalid("no skill is served at this URI; skills/list has the skills that there are")
	}))
	must(mcp.AddReceivingCustomMethod(srv, skillext.MethodReadDir, func(context.Context, *mcp.ServerSession, *readDirectory) (*directory, error) {
		return nil, invalid("no directory is served at this URI; a skill's directory is the URI of its SKILL.md without /SKILL.md")
	}))
	h.skills = &skills{Host: h, src: src}
}

// skilled answers a request that may be one of the extension.
func (h *Host) skilled(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if h.skills != nil {
		res, err := h.skills.handle(ctx, req, next)
		if res != nil || err != nil && !errors.Is(err, skillext.ErrUnknown) {
			return res, err
		}
	}
	return next(ctx, method, req)
}

func must(err error) {
	if err != nil {
		panic("serve: " + err.Error()) // cannot happen with this version of the SDK
	}
}

func invalid(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// declareSkills declares the extension in the answer to a connecting client.
func (h *Host) declareSkills(res mcp.Result) {
	var c *mcp.ServerCapabilities
	switch r := res.(type) {
	case *mcp.InitializeResult:
		c = r.Capabilities
	case *mcp.DiscoverResult:
		c = r.Capabilities
	}
	if h.skills == nil || c == nil {
		return
	}
	c.AddExtension(skillext.ID, map[string]any{skillext.DirectoryRead: true})
	if c.Resources == nil {
		c.Resources = new(mcp.ResourceCapabilities)
	}
}

// skills answers the requests of the extension for one face.
type skills struct {
	*Host
	src registry.Source
}

// handle answers a request. A nil result leaves it to others, as does [skillext.ErrUnknown].
func (s *skills) handle(ctx context.Context, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	switch r := req.(type) {
	case *mcp.ServerRequest[*listSkills]:
		if r.Params == nil {
			r.Params = new(listSkills)
		}
		return s.list(ctx, r, next)
	case *mcp.ServerRequest[*getSkill]:
		return s.get(ctx, r)
	case *mcp.ServerRequest[*readDirectory]:
		return s.directory(ctx, r)
	case *mcp.ReadResourceRequest:
		if r.Params != nil && strings.HasPrefix(r.Params.URI, skillext.Scheme) {
			return s.read(ctx, r)
		}
	}
	return nil, nil
}

// lookUp runs f for the caller of a request, within the limits for the tool skill.
func lookUp[P mcp.Params, T any](ctx context.Context, s *skills, req *mcp.ServerRequest[P], what string, f func(context.Context) (T, error)) (T, error) {
	v, err := Do(ctx, s.Host, req, what, skillsTimeout, func(ctx context.Context) (none T, err error) {
		ctx = registry.WithVia(ctx, via(req.GetParams().GetMeta()))
		own := owner(ctx, s.connection(req), &registry.Client{For: callerOf(req.GetParams().GetMeta())})
		if err := s.server.opts.Controls.Quota.Allow(ctx, own, skillQuota); err != nil {
			return none, err
		}
		return f(ctx)
	})
	if err != nil && !errors.Is(err, skillext.ErrUnknown) {
		return v, failed(err)
	}
	return v, err
}

// failed returns the JSON-RPC error for an error of the registry.
func failed(err error) error {
	e := registry.AsError(err)
	code := int64(jsonrpc.CodeInternalError)
	switch e.Kind {
	case registry.Denied:
		code = jsonrpc.CodeInvalidRequest
	case registry.RateLimited, registry.Unavailable:
		code = codeBusy
	}
	return &jsonrpc.Error{Code: code, Message: e.Error()}
}

// list answers skills/list: our skills, and then those of further faces.
func (s *skills) list(ctx context.Context, req *mcp.ServerRequest[*listSkills], next mcp.MethodHandler) (mcp.Result, error) {
	cursor := req.Params.Cursor
	if theirs, ok := strings.CutPrefix(cursor, othersSkills); ok {
		return s.others(ctx, req, theirs, nil, next)
	}
	after, ok := strings.CutPrefix(cursor, ownSkills)
	if !ok && cursor != "" {
		return nil, invalid("the cursor is not one of this list: begin without one")
	}
	type page struct {
		entries []json.RawMessage
		last    string
	}
	p, err := lookUp(ctx, s, req, skillext.MethodList, func(ctx context.Context) (page, error) {
		entries, last, err := skillext.List(ctx, s.src, after)
		return page{entries, last}, err
	})
	switch {
	case err != nil:
		return nil, err
	case p.last == "":
		return s.others(ctx, req, "", p.entries, next)
	}
	return &skillList{ResultType: completed, Skills: p.entries, NextCursor: ownSkills + p.last, cacheable: cached(req)}, nil
}

// others returns a page of the skills of further faces, after our entries. What both serve is ours.
func (s *skills) others(ctx context.Context, req *mcp.ServerRequest[*listSkills], cursor string, ours []json.RawMessage, next mcp.MethodHandler) (mcp.Result, error) {
	asked := *req
	asked.Params = &listSkills{ParamsBase: req.Params.ParamsBase, Cursor: cursor}
	res, err := next(ctx, skillext.MethodList, &asked)
	theirs, ok := res.(*skillList)
	if err != nil || !ok {
		return res, err
	}
	rest, err := Do(ctx, s.Host, req, skillext.MethodList, skillsTimeout, func(ctx context.Context) ([]json.RawMessage, error) {
		ctx = registry.WithVia(ctx, via(req.Params.Meta))
		return slices.DeleteFunc(slices.Clone(theirs.Skills), func(entry json.RawMessage) bool {
			_, err := skillext.Get(ctx, s.src, skillext.URIOf(entry))
			return err == nil
		}), nil
	})
	if err != nil {
		return nil, failed(err)
	}
	list := &skillList{ResultType: completed, Skills: append(append([]json.RawMessage{}, ours...), rest...), cacheable: cached(req)}
	if theirs.NextCursor != "" {
		list.NextCursor = othersSkills + theirs.NextCursor
	}
	return list, nil
}

// get answers skills/get.
func (s *skills) get(ctx context.Context, req *mcp.ServerRequest[*getSkill]) (mcp.Result, error) {
	if req.Params == nil || req.Params.URI == "" {
		return nil, invalid("params.uri is missing: it is the URI of a SKILL.md")
	}
	entry, err := lookUp(ctx, s, req, skillext.MethodGet, func(ctx context.Context) (json.RawMessage, error) {
		return skillext.Get(ctx, s.src, req.Params.URI)
	})
	if err != nil {
		return nil, err
	}
	return &skillEntry{ResultType: completed, Skill: entry, cacheable: cached(req)}, nil
}

// directory answers resources/directory/read. A skill's files are few, so all are on one page.
func (s *skills) directory(ctx context.Context, req *mcp.ServerRequest[*readDirectory]) (mcp.Result, error) {
	switch {
	case req.Params == nil || req.Params.URI == "":
		return nil, invalid("params.uri is missing: it is the URI of a directory")
	case req.Params.Cursor != "":
		return nil, invalid("the cursor is not one of this directory: all of it is on one page")
	}
	children, err := lookUp(ctx, s, req, skillext.MethodReadDir, func(ctx context.Context) ([]skillext.Child, error) {
		return skillext.Directory(ctx, s.src, req.Params.URI)
	})
	if err != nil {
		return nil, err
	}
	return &directory{ResultType: completed, Resources: children, cacheable: cached(req)}, nil
}

// read answers resources/read for a file of a skill.
func (s *skills) read(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	file, err := lookUp(ctx, s, req, readResource, func(ctx context.Context) (*skillext.File, error) {
		return skillext.Read(ctx, s.src, req.Params.URI)
	})
	if err != nil {
		return nil, err
	}
	res := new(mcp.ReadResourceResult)
	if req.ProtocolVersion() >= stateless {
		*res = finalRead
	}
	res.Cacheable = mcp.Cacheable{CacheScope: private}
	if !file.Dynamic {
		res.TTLMs = int(skillsTTL.Milliseconds())
	}
	res.Contents = []*mcp.ResourceContents{{URI: file.URI, MIMEType: file.MediaType, Text: file.Text}}
	return res, nil
}

// finalRead is a result of its type from 2026-07-28 on. The SDK has no setter for the type.
var finalRead = func() (r mcp.ReadResourceResult) {
	must(json.Unmarshal([]byte(`{"contents":[],"resultType":"complete"}`), &r))
	return r
}()

// cached returns the caching fields for a client that knows them. What is seen depends on the caller.
func cached[P mcp.Params](req *mcp.ServerRequest[P]) cacheable {
	if req.ProtocolVersion() < stateless {
		return cacheable{}
	}
	ttl := skillsTTL.Milliseconds()
	return cacheable{&ttl, private}
}
