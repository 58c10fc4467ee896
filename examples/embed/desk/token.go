package desk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// minKey is the least number of bytes of a key (RFC 7518, section 3.2).
const minKey = 32

// keys sign tokens. The first one signs, all of them verify: a new key is put in front of the others, and a former one
// is taken out when its last token has expired.
type keys [][]byte

// parseKeys reads keys in hexadecimal, separated by commas.
func parseKeys(text string) (keys, error) {
	var list keys
	for part := range strings.SplitSeq(text, ",") {
		key, err := hex.DecodeString(strings.TrimSpace(part))
		if err != nil || len(key) < minKey {
			return nil, fmt.Errorf("needs one or more keys of at least %d bytes in hexadecimal, separated by commas; "+
				"openssl rand -hex %d makes one", minKey, minKey)
		}
		list = append(list, key)
	}
	return list, nil
}

// claims are the contents of a token (RFC 9068).
type claims struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	Expires  int64  `json:"exp"` // in Unix seconds
}

// tokenHeader begins every token: a JWT with HMAC and SHA-256. No other is accepted.
var tokenHeader = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"at+jwt"}`))

var errToken = errors.New("the token is not valid here")

// sign returns a token with the claims.
func (k keys) sign(c claims) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and a number have a JSON form
	}
	text := tokenHeader + "." + base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(mac(k[0], text))
}

// verify returns the claims of a token that one of the keys has signed.
func (k keys) verify(token string) (claims, error) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 {
		return claims{}, errToken
	}
	text := token[:end]
	sum, err := base64.RawURLEncoding.Strict().DecodeString(token[end+1:])
	if err != nil || !slices.ContainsFunc(k, func(key []byte) bool { return hmac.Equal(sum, mac(key, text)) }) {
		return claims{}, errToken
	}
	var c claims
	payload, ok := strings.CutPrefix(text, tokenHeader+".")
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if !ok || err != nil || json.Unmarshal(data, &c) != nil {
		return claims{}, errToken
	}
	return c, nil
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
