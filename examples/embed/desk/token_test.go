package desk

import (
	"encoding/base64"
	"strings"
	"testing"
)

func mustKeys(t *testing.T, text string) keys {
	t.Helper()
	k, err := parseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Tokens of a former key hold as long as the key is listed.
func TestKeysRotate(t *testing.T) {
	newKey := strings.Repeat("ab", minKey)
	former, both, next := mustKeys(t, testKeys), mustKeys(t, newKey+", "+testKeys), mustKeys(t, newKey)
	want := claims{"https://desk.example", "https://desk.example/mcp", "carla", 1}
	for name, tt := range map[string]struct {
		signs, verifies keys
		ok              bool
	}{
		"before": {former, former, true}, "an old token": {former, both, true}, "a new token": {both, both, true},
		"a new token afterwards": {both, next, true}, "an old token afterwards": {former, next, false},
	} {
		got, err := tt.verifies.verify(tt.signs.sign(want))
		if (err == nil) != tt.ok || tt.ok && got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// No part of a token can be changed, left out or replaced by another algorithm.
func TestForgedTokens(t *testing.T) {
	k := mustKeys(t, testKeys)
	token := k.sign(claims{"i", "a", "carla", 1})
	part := strings.Split(token, ".")
	encode := base64.RawURLEncoding.EncodeToString
	none := encode([]byte(`{"alg":"none"}`))
	admin := encode([]byte(`{"iss":"i","aud":"a","sub":"anton","exp":1}`))
	signed := func(text string) string { return text + "." + encode(mac(k[0], text)) }
	for _, forged := range []string{
		"", ".", "..", part[0], part[0] + "." + part[1], part[0] + "." + part[1] + ".", none + "." + part[1] + ".",
		none + "." + part[1] + "." + part[2], part[0] + "." + admin + "." + part[2], token + "A", token + "=", token[:len(token)-1],
		"." + token, token + ".", signed(none + "." + part[1]), signed(part[0] + ".x"), signed(part[0]), signed(part[1]),
	} {
		if c, err := k.verify(forged); err == nil {
			t.Errorf("%q is accepted: %+v", forged, c)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key := []byte(strings.Repeat("k", minKey))
	k := keys{key}
	token := k.sign(claims{"i", "a", "carla", 1})
	f.Add(token)
	f.Add(strings.Replace(token, ".", "..", 1))
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := k.verify(text); err == nil && text != k.sign(c) {
			t.Errorf("%q is accepted: %+v", text, c)
		}
	})
}
