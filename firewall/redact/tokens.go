package redact

import "strings"

// tokens returns probes for secrets that have one of the prefixes and then at least n characters of a class.
func tokens(class func(byte) bool, n int, prefixes ...string) []probe {
	var probes []probe
	for _, prefix := range prefixes {
		probes = append(probes, probe{hint: prefix, find: func(text string, at int) (span, int) {
			end := run(text, at+len(prefix), class)
			if end-at-len(prefix) < n {
				return span{}, end
			}
			return align(text, span{start: at, end: end}), end
		}})
	}
	return probes
}

// separate restricts probes to the beginning of words.
func separate(probes []probe) []probe {
	for i, p := range probes {
		probes[i].find = func(text string, at int) (span, int) {
			if at > 0 && word(text[at-1]) && !escaped(text, at) {
				return span{}, at
			}
			return p.find(text, at)
		}
	}
	return probes
}

// mixed restricts probes to secrets with both letters and digits, because letters alone may be a name.
func mixed(probes []probe) []probe {
	for i, p := range probes {
		probes[i].find = func(text string, at int) (span, int) {
			s, next := p.find(text, at)
			if !random(text[s.start:s.end]) {
				return span{}, next
			}
			return s, next
		}
	}
	return probes
}

// random reports whether text has both letters and digits.
func random(text string) bool {
	letters, digits := false, false
	for i := range len(text) {
		letters = letters || letter(text[i])
		digits = digits || digit(text[i])
	}
	return letters && digits
}

// awsKeys finds AWS access key ids: 20 upper-case letters and digits.
func awsKeys(text string, at int) (span, int) {
	class := func(c byte) bool { return 'A' <= c && c <= 'Z' || digit(c) }
	end := run(text, at, class)
	if end-at != 20 || at > 0 && class(text[at-1]) && !escaped(text, at) {
		return span{}, end
	}
	return span{start: at, end: end}, end
}

// jwts finds three or five base64 parts joined by dots. The first part must be a JSON object.
func jwts(text string, at int) (span, int) {
	end := run(text, at, dotted)
	header, rest, _ := strings.Cut(text[at:end], ".")
	if len(header) < 12 || len(rest) < 5 || strings.Count(rest, ".") == 0 {
		return span{}, end
	}
	return align(text, span{start: at, end: end}), end
}

// webhook returns a probe for webhook URLs: addresses of host, with part in the path, that let anyone post.
func webhook(host, part string) probe {
	return probe{hint: host, find: func(text string, at int) (span, int) {
		end := at + len(host)
		for end < len(text) {
			slash := spelledSlash(text, end)
			if slash == end && !url64(text[end]) {
				break
			}
			end = max(slash, end+1)
		}
		path := text[at+len(host) : end]
		if len(path) < 40 || !random(path) || !strings.Contains(path[:min(len(path), 20)], part) {
			return span{}, end
		}
		return span{start: at, end: end}, end
	}}
}

// spelledSlash returns the end of the slash at text[i], with or without backslashes before it, or i if there is none.
func spelledSlash(text string, i int) int {
	n := run(text, i, backslash)
	if n < len(text) && text[n] == '/' {
		return n + 1
	}
	return i
}
