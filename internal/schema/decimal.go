package schema

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strconv"
)

// A decimal is the exact value of a JSON number: 0.DIGITS * 10^exp. It refers to the text of the number, so it takes no
// memory for any length or exponent.
type decimal struct {
	negative bool
	body     []byte // from the first to the last digit that is not 0, perhaps with a dot
	digits   int    // digits in body; 0 for zero
	exp      int64
}

// maxExp keeps sums of exponents and lengths from overflowing.
const maxExp = math.MaxInt64 / 4

// parseDecimal parses a number that strictjson.Check has accepted.
func parseDecimal(raw []byte) decimal {
	var d decimal
	if len(raw) > 0 && raw[0] == '-' {
		d.negative, raw = true, raw[1:]
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		d.exp = parseExp(string(raw[i+1:]))
		raw = raw[:i]
	}
	whole := bytes.IndexByte(raw, '.') // digits before the dot
	if whole < 0 {
		whole = len(raw)
	}
	first := bytes.IndexFunc(raw, isSignificant)
	if first < 0 {
		return decimal{}
	}
	last := bytes.LastIndexFunc(raw, isSignificant)
	d.body = raw[first : last+1]
	d.digits = len(d.body)
	if first < whole {
		d.exp += int64(whole - first)
	} else {
		d.exp -= int64(first - whole - 1)
	}
	if first < whole && whole < last {
		d.digits--
	}
	return d
}

func isSignificant(r rune) bool {
	return '1' <= r && r <= '9'
}

// parseExp parses an exponent. One that is too large becomes maxExp.
func parseExp(text string) int64 {
	e, err := strconv.ParseInt(text, 10, 64)
	if err != nil && text[0] == '-' {
		return -maxExp
	}
	if err != nil {
		return maxExp
	}
	return min(max(e, -maxExp), maxExp)
}

// isInteger reports whether the value has no fraction.
func (d decimal) isInteger() bool {
	return d.digits == 0 || d.exp >= int64(d.digits)
}

// compare returns -1, 0 or +1.
func (d decimal) compare(e decimal) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.digits == 0 {
		return c
	}
	c := cmp.Compare(d.exp, e.exp)
	if c == 0 {
		c = compareDigits(d.body, e.body)
	}
	return c * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compareDigits compares two fractions 0.DIGITS, ignoring dots.
func compareDigits(a, b []byte) int {
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		if i < len(a) && a[i] == '.' {
			i++
		}
		if j < len(b) && b[j] == '.' {
			j++
		}
		if i == len(a) || j == len(b) {
			return cmp.Compare(len(a)-i, len(b)-j)
		}
		if c := cmp.Compare(a[i], b[j]); c != 0 {
			return c
		}
	}
}

// append appends the canonical spelling of the value. Equal values have equal spellings.
func (d decimal) append(dst []byte) []byte {
	if d.digits == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	dst = d.appendDigits(dst)
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, d.exp-int64(d.digits), 10)
}

func (d decimal) appendDigits(dst []byte) []byte {
	for _, c := range d.body {
		if c != '.' {
			dst = append(dst, c)
		}
	}
	return dst
}

// isMultiple reports whether d is m times an integer. Exponents may be huge: powers are computed modulo m.
func (d decimal) isMultiple(m decimal) bool {
	if d.digits == 0 {
		return true
	}
	if m.digits == 0 {
		return false
	}
	a, b := d.integer(), m.integer()
	shift := (d.exp - int64(d.digits)) - (m.exp - int64(m.digits))
	if shift >= 0 {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), b)
		return a.Mul(a, power).Mod(a, b).Sign() == 0
	}
	if -shift >= int64(d.digits) {
		return false // d is smaller than m's last place
	}
	b.Mul(b, new(big.Int).Exp(big.NewInt(10), big.NewInt(-shift), nil))
	return a.Mod(a, b).Sign() == 0
}

// integer returns the digits as an integer.
func (d decimal) integer() *big.Int {
	i, _ := new(big.Int).SetString(string(d.appendDigits(nil)), 10)
	return i
}

// count returns the value as a non-negative integer, or false. Values beyond int32 return math.MaxInt32.
func (d decimal) count() (int, bool) {
	if d.negative && d.digits > 0 || !d.isInteger() {
		return 0, false
	}
	if d.exp > 9 {
		return math.MaxInt32, true
	}
	n, err := strconv.Atoi(string(d.appendDigits(nil)))
	if err != nil {
		return 0, true // no digits: zero
	}
	for range d.exp - int64(d.digits) {
		n *= 10
	}
	return n, true
}
