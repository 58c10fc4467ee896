package manifest

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// prefersJSON reports whether a client prefers JSON over YAML by its Accept header (RFC 9110, section 12.5.1). At a
// tie, or if it accepts neither, it gets YAML, the resource's own form.
func prefersJSON(h http.Header) bool {
	yaml, json := preference{want: MediaTypeYAML}, preference{want: MediaTypeJSON}
	for element := range elements(strings.Join(h.Values("Accept"), ",")) {
		media, params, err := mime.ParseMediaType(element)
		if err != nil {
			continue // not a media range
		}
		q, ok := weight(params["q"])
		if !ok {
			continue
		}
		yaml.take(media, q)
		json.take(media, q)
	}
	return json.q > yaml.q
}

// A preference is a client's weight for a media type. It comes from the most specific range that matches; zero if
// none does.
type preference struct {
	want  string
	close int // how specific that range is
	q     float64
}

func (p *preference) take(media string, q float64) {
	switch media {
	case "application/x-yaml", "text/yaml", "text/x-yaml": // older names (RFC 9512)
		media = MediaTypeYAML
	}
	closeness := 0
	switch media {
	case p.want:
		closeness = 3
	case "application/*":
		closeness = 2
	case "*/*":
		closeness = 1
	}
	switch {
	case closeness > p.close:
		p.close, p.q = closeness, q
	case closeness == p.close && closeness > 0: // the same range again, perhaps with other parameters
		p.q = max(p.q, q)
	}
}

// weight parses a quality value; 1 if there is none.
func weight(text string) (float64, bool) {
	if text == "" {
		return 1, true
	}
	if strings.Trim(text, "0123456789.") != "" {
		return 0, false // includes NaN and infinity
	}
	q, err := strconv.ParseFloat(text, 64)
	return q, err == nil && q <= 1
}

// elements returns the elements of a header's list. Commas within quotes do not separate.
func elements(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(list); i++ {
			switch c := list[i]; {
			case c == '"':
				quoted = !quoted
			case c == '\\' && quoted:
				i++
			case c == ',' && !quoted:
				if !yield(list[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(list[start:])
	}
}
