package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of what a function shows to users and programs.
const (
	MaxTitle      = 200      // characters of a title
	MaxIcons      = 8        // icons of a function
	MaxIconSource = 32 << 10 // bytes of the URI of an icon
	MaxMeta       = 16 << 10 // bytes of the metadata
)

// maxIconText bounds the type and each size of an icon, in bytes.
const maxIconText = 100

// Title is the name of the function for people, on one line. Without it, clients show the name.
func Title(text string) FuncOption {
	return funcOption{"Title", func(f *Function) error {
		switch {
		case text == "":
			return errors.New("the title is empty")
		case clean.Line(text, MaxTitle) != text:
			return fmt.Errorf("the title is not one line of visible characters, at most %d", MaxTitle)
		}
		f.title = text
		return nil
	}}
}

// Icons are the icons of the function, for the user interfaces of clients. [CheckIcon] has the rules.
func Icons(icons ...mcp.Icon) FuncOption {
	return funcOption{"Icons", func(f *Function) error {
		if len(icons) > MaxIcons {
			return fmt.Errorf("there are %d icons; at most %d are taken", len(icons), MaxIcons)
		}
		for i := range icons {
			if err := CheckIcon(&icons[i]); err != nil {
				return fmt.Errorf("icon %d: %w", i+1, err)
			}
			icon := icons[i]
			icon.Sizes = slices.Clone(icon.Sizes)
			f.icons = append(f.icons, icon)
		}
		return nil
	}}
}

var (
	imageData  = regexp.MustCompile(`^(?i:data:image/)[a-zA-Z0-9.+-]+(;[a-zA-Z0-9=.+-]+)*,[!-~]*$`)
	webAddress = regexp.MustCompile(`^(?i:https?)://[^/?#\s][!-~]*$`)
	iconSize   = regexp.MustCompile(`^([1-9][0-9]{0,4}x[1-9][0-9]{0,4}|any)$`)
)

// CheckIcon returns the rule that an icon breaks, or nil: its source is the URL of an image, by http or
// https, or an image as data URI, with at most [MaxIconSource] bytes; its sizes are such as 48x48 or any;
// its theme is light, dark or empty. The error does not show the source.
func CheckIcon(icon *mcp.Icon) error {
	switch {
	case len(icon.Source) > MaxIconSource:
		return fmt.Errorf("the source has %d bytes; at most %d are taken", len(icon.Source), MaxIconSource)
	case !webAddress.MatchString(icon.Source) && !imageData.MatchString(icon.Source):
		return errors.New("the source is neither an http or https URL nor an image as data URI")
	case len(icon.MIMEType) > maxIconText || strings.ContainsFunc(icon.MIMEType, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }):
		return errors.New("the MIME type is none")
	case icon.Theme != "" && icon.Theme != mcp.IconThemeLight && icon.Theme != mcp.IconThemeDark:
		return errors.New("the theme is neither light nor dark")
	case len(icon.Sizes) > MaxIcons || slices.ContainsFunc(icon.Sizes, func(size string) bool { return !iconSize.MatchString(size) }):
		return errors.New(`the sizes are not such as "48x48" or "any"`)
	}
	return nil
}

// Meta is the metadata (_meta) of the function's tool, for programs: a JSON object, as a
// [json.RawMessage] or as a map. The extension MCP Apps reads ui there. Keys that begin with cash/ are
// reserved.
func Meta(object any) FuncOption {
	return funcOption{"Meta", func(f *Function) error {
		text, ok := object.(json.RawMessage)
		if !ok {
			m, isMap := object.(map[string]any)
			if !isMap {
				return fmt.Errorf("metadata is a json.RawMessage or a map, not a %T", object)
			}
			var err error
			if text, err = strictjson.Marshal(m); err != nil {
				return errors.New("the metadata has no JSON form")
			}
		}
		if err := checkMeta(text); err != nil {
			return err
		}
		f.meta = strictjson.Compact(text)
		return nil
	}}
}

func checkMeta(text json.RawMessage) error {
	switch err := strictjson.Check(text); {
	case len(text) > MaxMeta:
		return fmt.Errorf("the metadata has %d bytes; at most %d are taken", len(text), MaxMeta)
	case err != nil:
		return fmt.Errorf("the metadata: %w", err)
	case strictjson.KindOf(text) != strictjson.Object:
		return fmt.Errorf("the metadata is of type %s, not an object", strictjson.KindOf(text))
	}
	for key := range strictjson.Members(text) {
		if strings.HasPrefix(key, "cash/") {
			return errors.New("metadata with keys that begin with cash/ is reserved")
		}
	}
	return nil
}

// Title returns the name of the function for people ([Title]). It may be empty.
func (f *Function) Title() string { return f.title }

// Icons returns the icons of the function ([Icons]). The slice must not be modified.
func (f *Function) Icons() []mcp.Icon { return f.icons }

// Meta returns the metadata of the function's tool, a JSON object ([Meta]). Nil is none.
func (f *Function) Meta() json.RawMessage { return f.meta }
