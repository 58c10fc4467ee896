package openapi

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxJSON bounds the nesting of JSON that is known to be JSON.
const maxJSON = 1000

// result returns the answer to a call. foreign cleans texts.
func (s *source) result(r *response, foreign bool) (*registry.Result, error) {
	if r.code >= 400 {
		return nil, refusal(r)
	}
	if r.code >= 300 {
		return s.redirected(r)
	}
	media, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	body := string(r.body)
	res := new(registry.Result)
	switch {
	case len(r.body) == 0:
		text := fmt.Sprintf("%d %s", r.code, http.StatusText(r.code))
		if r.code == http.StatusCreated || r.code == http.StatusAccepted { // where it is, is all that the answer says
			text = located(r)
		}
		res.Content = []mcp.Content{&mcp.TextContent{Text: text}}
		return res, nil
	case (isJSON(media) || media == "") && strictjson.Scan(r.body, maxJSON, maxResponse) == nil && utf8.Valid(r.body):
		res.JSON = true
	case strings.HasPrefix(media, "image/") && media != "image/svg+xml":
		res.Content = []mcp.Content{&mcp.ImageContent{MIMEType: clean.Line(media, 100), Data: r.body}}
		return res, nil
	case strings.HasPrefix(media, "audio/"):
		res.Content = []mcp.Content{&mcp.AudioContent{MIMEType: clean.Line(media, 100), Data: r.body}}
		return res, nil
	case !utf8.Valid(r.body) || strings.ContainsRune(body, 0):
		res.Content = []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "openapi:" + url.PathEscape(s.Key), MIMEType: clean.Line(media, 100), Blob: r.body,
		}}}
		return res, nil
	}
	if foreign {
		body = clean.Content(body)
	}
	res.Content = []mcp.Content{&mcp.TextContent{Text: body}}
	if hint := s.next(r, res.JSON); hint != "" {
		res.JSON = false // there is a second text
		res.Content = append(res.Content, &mcp.TextContent{Text: hint})
	}
	return res, nil
}

// redirected tells where an answer is. It is not fetched: the caller's credentials are not for there. It is an
// error for a method that changes something, which may not be done: only 303 says that it is (RFC 9110, section
// 15.4).
func (s *source) redirected(r *response) (*registry.Result, error) {
	text := located(r)
	if s.Method != http.MethodGet && s.Method != http.MethodHead && r.code != http.StatusSeeOther {
		return nil, &registry.Error{
			Kind: registry.Failed, Message: "The service answers " + text + ", which was not followed.",
			Details: map[string]any{"status": r.code},
		}
	}
	return registry.TextResult(text), nil
}

// located returns a status with the address that it gives.
func located(r *response) string {
	text := fmt.Sprintf("%d %s", r.code, http.StatusText(r.code))
	if to := clean.Line(r.header.Get("Location"), 2000); to != "" {
		text += ": " + to
	}
	return text
}

// kinds of statuses (RFC 9110, section 15). The others of 4xx and 5xx are Failed.
var kinds = map[int]registry.Kind{
	400: registry.InvalidArguments, 401: registry.Unauthorized, 403: registry.Denied, 408: registry.TimedOut,
	422: registry.InvalidArguments, 429: registry.RateLimited, 502: registry.Unavailable, 503: registry.Unavailable,
	504: registry.TimedOut,
}

// refusal words a status of 4xx or 5xx.
func refusal(r *response) error {
	e := &registry.Error{Kind: registry.Failed, Details: map[string]any{"status": r.code}}
	if kind, ok := kinds[r.code]; ok {
		e.Kind = kind
	}
	e.Message = strings.TrimSpace(fmt.Sprintf("The service answers %d %s", r.code, http.StatusText(r.code)))
	if said := message(r); said != "" {
		e.Message += ": " + said
	}
	if !strings.HasSuffix(e.Message, ".") {
		e.Message += "."
	}
	switch e.Kind {
	case registry.Denied:
		e.Details[registry.DetailReason] = registry.ReasonUpstream
	case registry.RateLimited, registry.Unavailable:
		e.NotRun = r.code == http.StatusTooManyRequests
		e.Hint = "Try again later."
		if after := retryAfter(r.header.Get("Retry-After")); after > 0 {
			e.Details["retry_after"] = after
			e.Hint = fmt.Sprintf("Try again in %d seconds.", after)
		}
	}
	return e
}

// retryAfter returns the seconds of a header, at most a day.
func retryAfter(value string) int64 {
	seconds, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil {
		at, err := http.ParseTime(value)
		if err != nil {
			return 0
		}
		seconds = int64(time.Until(at) / time.Second)
	}
	return min(max(seconds, 0), 24*60*60)
}

// maxMessage is the most characters of a service's message.
const maxMessage = 500

// message returns what a body says of an error: problem details (RFC 9457), or the usual members.
func message(r *response) string {
	media, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	body := r.body
	if kind := strictjson.KindOf(body); isJSON(media) && (kind == strictjson.Array || kind == strictjson.String) {
		body = slices.Concat([]byte(`{"errors":`), body, []byte("}"))
	}
	switch {
	case strictjson.KindOf(body) == strictjson.Object && strictjson.CheckDepth(body, maxJSON) == nil:
		list := messages(body, 0)
		if onlyFields(body) {
			list = ofFields(body, false)
		}
		said := strings.ReplaceAll(strings.Join(list, ": "), ".: ", ": ")
		return clean.Line(said, maxMessage)
	case strings.HasPrefix(media, "text/plain"):
		return clean.FirstLine(clean.Beginning(string(r.body), 8*maxMessage), maxMessage)
	}
	return ""
}

// wordings are the members that say what is wrong.
var wordings = []string{"title", "message", "Message", "msg", "error_description", "detail", "error", "errors"}

// onlyFields reports whether an object has nothing but lists of texts, and one of them by the name of a field, as
// Django REST words errors.
func onlyFields(object []byte) bool {
	field := false
	for name, value := range strictjson.Members(object) {
		if strictjson.KindOf(value) != strictjson.Array {
			return false
		}
		for _, e := range strictjson.Elements(value) {
			if strictjson.KindOf(e) != strictjson.String {
				return false
			}
		}
		field = field || name == "title" || !slices.Contains(wordings, name)
	}
	return field
}

func messages(object []byte, depth int) []string {
	var list []string
	if kind := strictjson.Text(strictjson.Member(object, "__type")); kind != "" { // of AWS
		list = append(list, kind[strings.LastIndexByte(kind, '#')+1:])
	}
	for _, name := range wordings {
		value := strictjson.Member(object, name)
		switch {
		case strictjson.KindOf(value) == strictjson.String:
			list = append(list, strictjson.Text(value))
		case depth < 2 && strictjson.KindOf(value) == strictjson.Object:
			more := messages(value, depth+1)
			if name == "errors" {
				if fields := ofFields(value, len(more) == 0); len(fields) > 0 {
					more = fields
				}
			}
			list = append(list, more...)
		case depth < 2:
			for i, e := range strictjson.Elements(value) {
				if i == maxSaid {
					break
				}
				if strictjson.KindOf(e) == strictjson.String {
					list = append(list, strictjson.Text(e))
				} else if strictjson.KindOf(e) == strictjson.Object {
					list = append(list, messages(e, depth+1)...)
				}
			}
		}
	}
	if depth == 0 {
		return slices.Compact(list)
	}
	var at []string
	for i, part := range strictjson.Elements(strictjson.Member(object, "loc")) {
		if at = append(at, text(part)); i == maxSaid {
			break
		}
	}
	if where := cmp.Or(strictjson.Text(strictjson.Member(object, "location")), strings.Join(at, ".")); where != "" {
		list = append(list, where)
	}
	return slices.Compact(list)
}

// maxSaid bounds the messages of a list.
const maxSaid = 5

// ofFields returns the messages of an object that has a list of them for each field; alone allows single ones.
func ofFields(object []byte, alone bool) []string {
	var list []string
	for name, value := range strictjson.Members(object) {
		var said []string
		if alone && strictjson.KindOf(value) == strictjson.String {
			said = append(said, strictjson.Text(value))
		}
		for _, e := range strictjson.Elements(value) {
			if strictjson.KindOf(e) == strictjson.String && len(said) < maxSaid {
				said = append(said, strictjson.Text(e))
			}
		}
		if len(said) > 0 {
			list = append(list, name+": "+strings.Join(said, " "))
		}
		if len(list) == maxSaid {
			break
		}
	}
	return list
}

// cursors are members of answers that lead to the next page, with the parameters that take them, in canonical form.
var cursors = map[string][]string{
	"nextcursor":        {"cursor", "after", "startcursor"},
	"nextpagetoken":     {"pagetoken"},
	"nexttoken":         {"nexttoken", "token"},
	"nextpage":          {"page"},
	"nextmarker":        {"marker"},
	"endcursor":         {"after", "cursor"},
	"continuationtoken": {"continuationtoken"},
	"continue":          {"continue"},
	"nextoffset":        {"offset"},
	"next":              nil, // an address, and so may be the others
	"nexturl":           nil,
	"nextlink":          nil,
	"nextpageurl":       nil,
}

// envelopes are members of answers that may have the cursor, in canonical form.
var envelopes = map[string]bool{
	"meta": true, "metadata": true, "pagination": true, "paging": true, "pageinfo": true, "responsemetadata": true,
	"links": true,
}

// ends are members that are false on the last page, in canonical form.
var ends = map[string]bool{"hasmore": true, "hasnext": true, "hasnextpage": true}

// next returns a line on how to get the next page; empty if there is none.
func (s *source) next(r *response, isJSON bool) string {
	if given := s.fromLink(r.header.Values("Link")); given != "" {
		return "More: call again with " + given + "."
	}
	if !isJSON {
		return ""
	}
	given, last := s.fromMembers(r.body, "")
	if given == "" || last {
		return ""
	}
	return "More: call again with " + given + "."
}

// fromMembers returns the arguments that the first cursor among an object's members gives, and reports whether one says
// that there is no next page. It reads envelopes too, but not those in the envelope at where.
func (s *source) fromMembers(object []byte, where string) (given string, last bool) {
	for key, value := range strictjson.Members(object) {
		name := label.Fold(key)
		switch kind := strictjson.KindOf(value); {
		case kind == strictjson.Bool:
			last = last || ends[name] && string(value) == "false"
		case kind == strictjson.Object && where == "" && envelopes[name]:
			inner, end := s.fromMembers(value, clean.Line(key, 60)+".")
			given, last = cmp.Or(given, inner), last || end
		case given == "":
			given = s.fromMember(where, key, value)
		}
	}
	return given, last
}

// fromMember returns the arguments that a member gives, in the envelope at where. The next one of HAL and JSON:API may
// be an object with the address as href.
func (s *source) fromMember(where, key string, value []byte) string {
	names, known := cursors[label.Fold(key)]
	if known && names == nil && strictjson.KindOf(value) == strictjson.Object {
		value = strictjson.Member(value, "href")
	}
	kind := strictjson.KindOf(value)
	if !known || len(value) > 1000 || kind != strictjson.Number && (kind != strictjson.String || strictjson.Text(value) == "") {
		return ""
	}
	if target := strictjson.Text(value); isAddress(target) {
		return s.fromAddress(target)
	}
	for _, name := range names {
		for i := range s.Plan.Params {
			if p := &s.Plan.Params[i]; p.In == inQuery && label.Fold(p.Name) == name {
				return fmt.Sprintf("%s%s of this result as %s", where, clean.Line(key, 60), p.Arg)
			}
		}
	}
	return ""
}

// isAddress reports whether a text is the address of a page, not a cursor.
func isAddress(text string) bool {
	return strings.Contains(text, "?") && (strings.Contains(text, "://") || strings.HasPrefix(text, "/") || text[0] == '?')
}

// fromLink returns the arguments that a Link of relation next gives (RFC 8288, section 3).
func (s *source) fromLink(links []string) string {
	rest := clean.Beginning(strings.Join(links, ","), 8000)
	for {
		_, after, ok := strings.Cut(rest, "<")
		target, params, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return ""
		}
		next, more := false, true
		for more {
			var param string
			param, params, more = cutParam(params)
			next = next || isNext(param)
		}
		if rest = params; next {
			if given := s.fromAddress(target); given != "" {
				return given
			}
		}
	}
}

// cutParam cuts a link's parameters after the first one, and reports whether others of the same link follow. What a quoted
// text has separates nothing.
func cutParam(params string) (first, rest string, more bool) {
	quoted := false
	for i := 0; i < len(params); i++ {
		switch c := params[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case (c == ';' || c == ',') && !quoted:
			return params[:i], params[i+1:], c == ';'
		}
	}
	return params, "", false
}

// isNext reports whether a parameter has the relation next, perhaps among others.
func isNext(param string) bool {
	name, value, _ := strings.Cut(strings.ToLower(param), "=")
	return strings.TrimSpace(name) == "rel" && slices.Contains(strings.Fields(strings.Trim(strings.TrimSpace(value), `"`)), "next")
}

// fromAddress returns the arguments that the address of a page gives.
func (s *source) fromAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	var given []string
	values := u.Query()
	for i := range s.Plan.Params {
		if p := &s.Plan.Params[i]; p.In == inQuery && paging[label.Fold(p.Name)] && len(values[p.Name]) == 1 {
			given = append(given, p.Arg+"="+clean.Line(values.Get(p.Name), 500))
		}
	}
	return strings.Join(given, ", ")
}

// paging are the parameters that choose a page, in canonical form.
var paging = map[string]bool{
	"page": true, "offset": true, "cursor": true, "after": true, "start": true, "since": true, "pagetoken": true,
	"nexttoken": true, "token": true, "marker": true, "continue": true, "continuationtoken": true, "skip": true,
	"startcursor": true, "startingafter": true, "page[number]": true, "page[offset]": true, "page[cursor]": true,
	"page[after]": true, // the last four of JSON:API
}
