package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type formatted struct {
	Date     string `json:"date,omitempty" cash:"format=date"`
	DateTime string `json:"date-time,omitempty" cash:"format=date-time"`
	Time     string `json:"time,omitempty" cash:"format=time"`
	Email    string `json:"email,omitempty" cash:"format=email"`
	URI      string `json:"uri,omitempty" cash:"format=uri"`
	UUID     string `json:"uuid,omitempty" cash:"format=uuid"`
	IPv4     string `json:"ipv4,omitempty" cash:"format=ipv4"`
	IPv6     string `json:"ipv6,omitempty" cash:"format=ipv6"`
	Hostname string `json:"hostname,omitempty" cash:"format=hostname"`
}

func TestFormats(t *testing.T) {
	label63 := strings.Repeat("a", 63)
	for _, test := range []struct {
		format    string
		good, bad []string
	}{
		{"date", []string{"2026-01-31", "2024-02-29"}, []string{"2026-02-29", "2026-1-31", "2026-01-31T", "31.01.2026", "", "2026-01-31 "}},
		{"date-time", []string{"2026-01-31T09:30:00Z", "2026-01-31T09:30:00.123+05:30"}, []string{"2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00+24:00", "2026-01-31T9:30:00Z", "2026-01-31t09:30:00z"}},
		{"time", []string{"09:30:00Z", "09:30:00.5-01:00"}, []string{"09:30", "9:30:00Z", "09:30:00", "25:00:00Z"}},
		{"email", []string{"ana@example.com", "a.b+c@sub.example.co"}, []string{"ana", "ana@", "@example.com", "Ana <ana@example.com>", "a b@c.d", strings.Repeat("a", 400) + "@b.c"}},
		{"uri", []string{"https://example.com/a?b=c#d", "urn:isbn:1", "mailto:a@b"}, []string{"/a", "example.com", "http://exa mple.com", "http://é.com", "http://a/<b>", ""}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"}, []string{"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", "{123e4567-e89b-12d3-a456-426614174000}", ""}},
		{"ipv4", []string{"192.0.2.1"}, []string{"192.0.2", "192.0.2.256", "192.0.2.01", "::1", "::ffff:1.2.3.4"}},
		{"ipv6", []string{"2001:db8::1", "::ffff:192.0.2.1"}, []string{"192.0.2.1", "fe80::1%eth0", "[::1]", "1::2::3"}},
		{"hostname", []string{"example.com", "localhost", "a-b.c1", label63 + ".com", "1.2"}, []string{"", ".com", "example.com.", "-a.com", "a-.com", "a_b.com", label63 + "a.com", "é.com", strings.Repeat("a.", 130) + "a"}},
	} {
		s := typed[formatted](t)
		check := func(text string, want bool) {
			t.Run(fmt.Sprintf("%s/%.40s", test.format, text), func(t *testing.T) {
				data, err := json.Marshal(map[string]string{test.format: text})
				if err != nil {
					t.Fatal(err)
				}
				err = s.Check(context.Background(), data)
				if (err == nil) != want || err != nil && rule(err) != "format" {
					t.Errorf("Check = %v, want accepted: %t", err, want)
				}
			})
		}
		for _, text := range test.good {
			check(text, true)
		}
		for _, text := range test.bad {
			check(text, false)
		}
	}
	// In a foreign schema the same words are annotations.
	if err := parse(t, string(typed[formatted](t).JSON())).Check(context.Background(), []byte(`{"date":"never"}`)); err != nil {
		t.Errorf("a foreign format is enforced: %v", err)
	}
}
