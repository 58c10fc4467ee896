package files

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The encodings of contents. UTF-16 is recognised by its byte order mark, which is not in the text. Latin-1 is what is
// neither UTF-8 nor has control characters. All other contents are base64.
const (
	asText   = "utf-8"
	asLatin1 = "latin-1"
	asLittle = "utf-16le"
	asBig    = "utf-16be"
	asBase64 = "base64"
)

// encode returns a content as text, with its encoding.
func encode(data []byte) (content, encoding string) {
	encoding = encodingOf(data)
	return decodeAs(data, encoding), encoding
}

// encodingOf returns the encoding of a content.
func encodingOf(data []byte) string {
	if e := marked(data); e != "" && isUTF16(data[2:], byteOrder(e)) {
		return e
	}
	return unmarked(data)
}

// unmarked returns the encoding of a content, or a part of one, without a byte order mark.
func unmarked(data []byte) string {
	switch {
	case utf8.Valid(data):
		return asText
	case !slices.ContainsFunc(data, func(c byte) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c >= 0x7f && c < 0xa0
	}):
		return asLatin1
	}
	return asBase64
}

// marked returns the encoding of the byte order mark of UTF-16, or nothing.
func marked(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return asLittle
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return asBig
	}
	return ""
}

func byteOrder(encoding string) binary.ByteOrder {
	if encoding == asBig {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// isUTF16 reports whether UTF-16 is whole: it comes back unchanged from UTF-8.
func isUTF16(data []byte, order binary.ByteOrder) bool {
	if len(data)%2 != 0 {
		return false
	}
	for i := 0; i < len(data); i += 2 {
		c := rune(order.Uint16(data[i:]))
		if !utf16.IsSurrogate(c) {
			continue
		}
		if i += 2; i >= len(data) || utf16.DecodeRune(c, rune(order.Uint16(data[i:]))) == utf8.RuneError {
			return false
		}
	}
	return true
}

// decodeAs returns the text of a content, or of a part of one, in an encoding.
func decodeAs(data []byte, encoding string) string {
	switch encoding {
	case asText:
		return string(data)
	case asLatin1:
		var b strings.Builder
		b.Grow(len(data) + len(data)/8)
		for _, c := range data {
			b.WriteRune(rune(c))
		}
		return b.String()
	case asLittle, asBig:
		order := byteOrder(encoding)
		if marked(data) == encoding {
			data = data[2:]
		}
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = order.Uint16(data[2*i:])
		}
		return string(utf16.Decode(units))
	}
	return base64.StdEncoding.EncodeToString(data)
}

var errLatin1 = errors.New("it has characters that Latin-1 does not have")

// encodeAs returns the content of a file with a text.
func encodeAs(text, encoding string) ([]byte, error) {
	switch encoding {
	case asLatin1:
		data := make([]byte, 0, len(text))
		for _, r := range text {
			if r > 0xff {
				return nil, errLatin1
			}
			data = append(data, byte(r))
		}
		return data, nil
	case asLittle, asBig:
		order := byteOrder(encoding).(binary.AppendByteOrder)
		data := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, unit)
		}
		return data, nil
	case asBase64:
		data, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil {
			return nil, errors.New("it is not base64")
		}
		return data, nil
	}
	return []byte(text), nil
}
