package cashtext

import (
	"regexp"
	"strings"
)

// objects rewrites invocations written as JSON arguments: {"namespace": "orders", "function": "create"}. Objects
// that name neither a function nor a skill, and objects among kwargs, are data.
func (m Mount) objects(text string) []edit {
	if !strings.Contains(text, `"namespace"`) {
		return nil
	}
	o := objectScanner{mount: m, text: text}
	for o.i < len(text) {
		o.step()
	}
	return o.edits
}

// maxObjects bounds the nesting of objects.
const maxObjects = 64

type objectScanner struct {
	mount Mount
	text  string
	i     int
	open  []object
	edits []edit
}

// An object is an object whose end has not been reached.
type object struct {
	data       bool // among kwargs
	named      bool // names a function or a skill
	start, end int  // position of its namespace; 0 if none
}

var (
	asKwargs = regexp.MustCompile(`kwargs["']?\s*[:=]\s*$`)
	isMember = regexp.MustCompile(`^\s*:\s*(?:"([\w.]*)")?`)
)

func (o *objectScanner) step() {
	c := o.text[o.i]
	switch {
	case c == '{' && len(o.open) < maxObjects:
		data := len(o.open) > 0 && o.open[len(o.open)-1].data || asKwargs.MatchString(o.text[max(0, o.i-32):o.i])
		o.open = append(o.open, object{data: data})
	case len(o.open) == 0: // prose
	case c == '{': // nested too deeply
		o.open = nil
	case c == '}':
		o.close()
	case c == '"':
		o.quoted()
		return
	case c == '\n' && strings.HasPrefix(o.text[o.i+1:], "\n"):
		o.open = nil
	}
	o.i++
}

// quoted reads a string in an object. It may be a key.
func (o *objectScanner) quoted() {
	end := o.i + 1
	for end < len(o.text) && o.text[end] != '"' && o.text[end] != '\n' {
		if o.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(o.text) || o.text[end] != '"' { // prose after all
		o.open, o.i = nil, min(end, len(o.text))
		return
	}
	key, _ := canonicalLabel(o.text[o.i+1 : end])
	o.i = end + 1
	at := isMember.FindStringSubmatchIndex(o.text[o.i:min(len(o.text), o.i+maxPath)])
	if at == nil || at[2] < 0 {
		return
	}
	switch top := &o.open[len(o.open)-1]; key {
	case "namespace":
		top.start, top.end = o.i+at[2], o.i+at[3]
	case "function", "skillname":
		top.named = true
	}
	o.i += at[1]
}

func (o *objectScanner) close() {
	top := o.open[len(o.open)-1]
	o.open = o.open[:len(o.open)-1]
	if !top.named || top.data || top.start == 0 {
		return
	}
	if e, ok := o.mount.move(o.text, top.start, top.end); ok && e.text != "" {
		o.edits = append(o.edits, e)
	}
}
