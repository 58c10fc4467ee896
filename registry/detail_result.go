package registry

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/brief"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Trims reports whether a result of f may differ at a level from that at [Full], which is the one
// that f's output schema describes. Faces promise levels only where one does.
func (p *Pipeline) Trims(f *Function, level Detail) bool {
	return level != "" && level != Full && (f.tagged || p.passesDetail(f) || p.trimsJSON(f))
}

// Trims reports whether a result of the call may differ at a level from that at [Full].
func (c *Call) Trims(level Detail) bool {
	return c.pipeline != nil && c.pipeline.Trims(c.Function, level)
}

// trimsJSON reports whether results of f are trimmed without tags.
func (p *Pipeline) trimsJSON(f *Function) bool {
	return !p.untrimmed && !f.untrimmed && !f.fixed && !f.tagged && !f.takesDetail()
}

// passesDetail reports whether f gets the level of a call as an argument.
func (p *Pipeline) passesDetail(f *Function) bool {
	return !p.untrimmed && !f.untrimmed && f.takesDetail()
}

// detailParam is the parameter by which a function takes a level, as the tools of domain facades do.
const detailParam = "detail"

// takesDetail reports whether f has a parameter detail whose values are the three levels.
func (f *Function) takesDetail() bool {
	for _, p := range f.params.list {
		if p.Name == detailParam {
			known := func(level Detail) bool { return slices.Contains(p.Enum, string(level)) }
			return len(p.Enum) == 3 && known(Minimal) && known(Standard) && known(Full)
		}
	}
	return false
}

// maxTrimmedJSON bounds the depth of JSON that is trimmed. Faces show deeper JSON as a text.
const maxTrimmedJSON = 500

// atLevel returns a result as the level of the call shows it, if no tag chooses, with its count. A
// failure stays whole.
func (c *Call) atLevel(res *Result) *Result {
	trims := c.Detail != Full && c.pipeline.trimsJSON(c.Function)
	if res == nil || res.IsError || res.InputRequests != nil || c.Function.counted && (!trims || res.tagged) {
		return res
	}
	data, text := jsonOf(res)
	if data == nil {
		return res
	}
	own := *res
	if own.Count == nil && !c.Function.counted {
		own.Count = length(data)
	}
	if !trims || res.tagged {
		return &own
	}
	level := brief.Standard
	if c.Detail == Minimal {
		level = brief.Minimal
	}
	short, omitted := brief.Trim(data, level)
	if &short[0] == &data[0] {
		return &own
	}
	own.Omitted = omitted
	if text != nil {
		shorter := *text
		shorter.Text = string(short)
		own.Content = []mcp.Content{&shorter}
	} else {
		own.Structured, own.Content = short, withoutRepeats(res, short)
	}
	return &own
}

// jsonOf returns the object or array that is the answer, and the text that has it; the text is nil
// if it is structured content. Both are nil for other answers.
func jsonOf(res *Result) (data []byte, text *mcp.TextContent) {
	data = res.Structured
	if len(data) == 0 {
		if len(res.Content) != 1 {
			return nil, nil
		}
		if text, _ = res.Content[0].(*mcp.TextContent); text == nil {
			return nil, nil
		}
		data = []byte(text.Text)
	}
	if k := strictjson.KindOf(data); k != strictjson.Object && k != strictjson.Array || strictjson.CheckDepth(data, maxTrimmedJSON) != nil {
		return nil, nil
	}
	return data, text
}

// length returns the number of elements of a list: of an array, or of the array that is an object's
// only member, because structured content is an object. Nil for other values.
func length(data []byte) *int {
	list, members := data, 0
	for _, value := range strictjson.RawMembers(data) {
		if list = value; members > 0 {
			return nil
		}
		members++
	}
	return countElements(list)
}

// withoutRepeats returns the contents of a result whose structured content has become short. Texts
// that repeat it, in JSON or by one of its strings, become one text with the short JSON.
func withoutRepeats(res *Result, short []byte) []mcp.Content {
	var said map[string]bool
	repeats := func(c mcp.Content) bool {
		text, ok := c.(*mcp.TextContent)
		if !ok || text == nil {
			return false
		}
		if strictjson.CheckDepth([]byte(text.Text), maxTrimmedJSON) == nil {
			return true
		}
		if said == nil {
			said = strictjson.Strings(res.Structured)
		}
		return said[text.Text]
	}
	kept := slices.DeleteFunc(slices.Clone(res.Content), repeats)
	if len(kept) == len(res.Content) {
		return kept
	}
	return append([]mcp.Content{&mcp.TextContent{Text: string(short)}}, kept...)
}
