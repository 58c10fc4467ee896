package label

// Canonical returns the form in which labels are compared: lower case, without underscores (RFC 5.1). It reports false
// if label is not a label. For a canonical label it does not allocate.
func Canonical(label string) (string, bool) {
	ok, canonical := Check(label)
	switch {
	case !ok:
		return "", false
	case canonical:
		return label, true
	}
	return Fold(label), true
}

// Check reports whether s is a label, and whether it is canonical already.
func Check(s string) (ok, canonical bool) {
	canonical = true
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			ok = true
		case 'A' <= c && c <= 'Z':
			ok, canonical = true, false
		case c == '_':
			canonical = false
		default:
			// Check bytes before lower-casing: U+212A would become k.
			return false, false
		}
	}
	return ok, canonical
}

// Fold puts a label, or a dotted path of labels, into lower case and strips its
// underscores.
func Fold(s string) string { return string(AppendFolded(make([]byte, 0, len(s)), s)) }

// AppendFolded appends what [Fold] returns.
func AppendFolded(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] != '_' {
			dst = append(dst, lower(s[i]))
		}
	}
	return dst
}

// Lower puts a text into lower case, but for letters that are not ASCII: U+212A is no k.
func Lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
