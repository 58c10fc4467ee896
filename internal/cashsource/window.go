package cashsource

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Long lists come in several pages. A page names the offset of the next one. A server whose help documents offset and
// limit is asked for pages of pageEntries, which stay below the bound of a page in bytes.
const pageEntries = 500

var (
	offsetWord = regexp.MustCompile(`\boffset\b`)
	limitWord  = regexp.MustCompile(`\blimit\b`)
)

// takesWindow reports whether the text about the arguments of help has offset and limit.
func takesWindow(arguments string) bool {
	return offsetWord.MatchString(arguments) && limitWord.MatchString(arguments)
}

// windowFrom returns the keyword arguments of help for the page from offset on.
func (c *crawl) windowFrom(offset int) json.RawMessage {
	text := `{"format":"json"`
	if offset > 0 {
		text += fmt.Sprintf(`,"offset":%d`, offset)
	}
	if c.windows {
		text += fmt.Sprintf(`,"limit":%d`, pageEntries)
	}
	return json.RawMessage(text + "}")
}

// pagesOf reads the page of a namespace and those that follow it, as one page. It ends with a page that has nothing
// new, and with the limits of reading; then it may be nil.
func (c *crawl) pagesOf(ctx context.Context, p *place) (*cashtext.Page, error) {
	var all *cashtext.Page
	seen := make(map[string]bool)
	for offset := 0; c.more(); {
		a, err := c.ask(ctx, "help", pageArguments("help", p.path, "", c.windowFrom(offset)))
		if err != nil {
			return nil, err
		}
		page, err := c.parse(p, a)
		if err != nil {
			return nil, err
		}
		namespaces, functions := unseen(seen, "n.", page.Namespaces, entryName), unseen(seen, "f.", page.Functions, entryName)
		if all == nil {
			all, p.declared = page, declared(a.Extra[registry.MetaDefinitions])
		} else {
			all.Namespaces, all.Functions = append(all.Namespaces, namespaces...), append(all.Functions, functions...)
		}
		all.Rest = "" // saves memory: it is not used again
		if len(namespaces)+len(functions) == 0 || page.Next <= offset || len(seen) > maxCrawlFunctions+maxCrawlPages {
			break
		}
		offset = page.Next
	}
	return all, nil
}

// parse reads the answer to a request for a page of help about p.
func (c *crawl) parse(p *place, a *wire.Answer) (*cashtext.Page, error) {
	text := a.Text()
	if a.IsError || cashtext.IsRefusal(text) {
		return nil, &Error{Kind: Refused, Reason: clean.Line(text, maxReason)}
	}
	p.instance = a.Instance
	if p.above == nil {
		c.dryRuns = string(a.Extra[registry.MetaDryRun]) == "true"
	}
	if p.instance == c.Self {
		return nil, &Error{Kind: Looped, Reason: "it is this server"}
	}
	page, err := cashtext.ParseHelp(text)
	if err != nil {
		return nil, &Error{Kind: Malformed, Reason: clean.Line("its help cannot be understood: "+err.Error(), maxReason), Err: err}
	}
	return page, nil
}

// unseen returns the elements of a list whose names are not in seen, and adds them.
func unseen[T any](seen map[string]bool, kind string, list []T, name func(T) string) []T {
	var fresh []T
	for _, e := range list {
		if k := kind + name(e); !seen[k] {
			seen[k] = true
			fresh = append(fresh, e)
		}
	}
	return fresh
}

func entryName(e cashtext.Entry) string { return key(e.Name) }

func skillName(e cashtext.SkillEntry) string {
	return wire.CanonicalPath(e.Namespace) + "." + wire.CanonicalPath(e.Heading) + "." + e.Name
}

func skillPlace(n cashtext.SkillNamespace) string { return wire.CanonicalPath(n.Path) }

// skillList reads the list of skills of a namespace, all pages of it; nil if it cannot be read.
func (c *crawl) skillList(ctx context.Context, path string) (*cashtext.Skills, error) {
	var all *cashtext.Skills
	seen := make(map[string]bool)
	for offset := 0; ; {
		list, err := c.skillPage(ctx, path, offset)
		if err != nil || list == nil {
			return all, err
		}
		skills, namespaces := unseen(seen, "s.", list.Skills, skillName), unseen(seen, "n.", list.Namespaces, skillPlace)
		if all == nil {
			all = list
		} else {
			all.Skills, all.Namespaces = append(all.Skills, skills...), append(all.Namespaces, namespaces...)
		}
		if len(skills)+len(namespaces) == 0 || list.Next <= offset || len(seen) > maxCrawlSkills+maxCrawlPages || !c.more() {
			return all, nil
		}
		offset = list.Next
	}
}

// skillPage reads one page of a list of skills; nil if it cannot be read.
func (c *crawl) skillPage(ctx context.Context, path string, offset int) (*cashtext.Skills, error) {
	var kwargs json.RawMessage
	if offset > 0 {
		kwargs = json.RawMessage(fmt.Sprintf(`{"offset":%d,"limit":%d}`, offset, pageEntries))
	}
	a, err := c.ask(ctx, "skill", pageArguments("skill", path, "", kwargs))
	if err != nil {
		if ctx.Err() != nil || kindOf(err) == Cut {
			return nil, err
		}
		c.Incomplete = true
		c.note("the skills of %q cannot be read: %v", path, err)
		return nil, nil
	}
	if a.IsError { // it has no skills
		return nil, nil
	}
	list, err := cashtext.ParseSkills(a.Text())
	if err != nil {
		c.note("the skills of %q cannot be read: %v", path, err)
		return nil, nil
	}
	return list, nil
}
