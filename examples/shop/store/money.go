package store

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in cents, so that sums are exact. Its JSON form is a
// number with two decimals: 1250 is 12.50.
type Money int64

// Times returns the price of n units.
func (m Money) Times(n int) Money { return m * Money(n) }

// String returns the amount with two decimals.
func (m Money) String() string {
	sign, cents := "", uint64(m)
	if m < 0 {
		sign, cents = "-", -cents // also right for the smallest int64
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// MarshalJSON writes a number with two decimals.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads a number without exponent and with at most two decimals;
// null leaves m as it is.
func (m *Money) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 2 || strings.ContainsAny(text, `eE"`) {
		return fmt.Errorf("%w: an amount has at most two decimals and no exponent", ErrInvalid)
	}
	cents, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: not an amount", ErrInvalid)
	}
	*m = Money(cents)
	return nil
}
