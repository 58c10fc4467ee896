package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// DefaultRules returns rules for well-known secrets:
//
//   - private keys, JSON web tokens, and the keys and tokens of widely used services
//   - credentials and long cookies in headers, passwords in URLs
//   - values of keys whose name says that they are secret, in JSON, YAML, XML, environments, queries and command flags
//
// They search text and JSON, also JSON inside strings of JSON. They skip values that look like a program, a form or a
// placeholder.
//
// To add rules, append them. To drop rules, delete them by name.
func DefaultRules() []Rule {
	return []Rule{
		{Name: "private-key", probes: []probe{{hint: "-----BEGIN ", find: privateKeys}}},
		{Name: "aws-key", probes: []probe{
			{hint: "AKIA", find: awsKeys}, {hint: "ASIA", find: awsKeys}, {hint: "ABIA", find: awsKeys}, {hint: "ACCA", find: awsKeys},
		}},
		{Name: "github-token", probes: append(tokens(word, 36, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"), tokens(word, 40, "github_pat_")...)},
		{Name: "gitlab-token", probes: tokens(url64, 20, "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-")},
		{Name: "slack-token", probes: tokens(url64, 10, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxo-", "xoxc-", "xoxd-", "xapp-")},
		{Name: "google-key", probes: append(tokens(url64, 35, "AIza"), tokens(url64, 20, "GOCSPX-", "ya29.")...)},
		{Name: "stripe-key", probes: tokens(alnum, 16, "sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_")},
		{Name: "anthropic-key", probes: tokens(url64, 20, "sk-ant-")},
		{Name: "openai-key", probes: separate(mixed(tokens(url64, 20, "sk-")))},
		{Name: "npm-token", probes: tokens(alnum, 36, "npm_")},
		{Name: "service-token", probes: slices.Concat(
			mixed(tokens(url64, 30, "pypi-AgE", "hf_", "dop_v1_", "shpat_", "shpca_", "shpss_", "dckr_pat_", "lin_api_", "ATATT3", "xai-", "glsa_", "sbp_", "rubygems_", "PMAK-")),
			mixed(tokens(alnum, 32, "gsk_", "ntn_", "dapi")), mixed(tokens(url64, 20, "hvs.", "sq0atp-", "sq0csp-")),
			tokens(alnum, 50, "AGE-SECRET-KEY-1"), separate(mixed(tokens(dotted, 60, "SG."))),
		)},
		{Name: "webhook", probes: []probe{webhook("hooks.slack.com", "services"), webhook("discord.com", "webhooks")}},
		{Name: "jwt", probes: []probe{{hint: "eyJ", find: jwts}}},
		{Name: "authorization", probes: []probe{
			{hint: "authorization", fold: true, find: headers}, {hint: "bearer ", fold: true, find: bearers}, {hint: "basic ", fold: true, find: basics},
		}},
		{Name: "cookie", probes: []probe{{hint: "cookie", fold: true, find: cookies}}},
		{Name: "url-password", probes: []probe{{hint: ":/", find: addresses}, {hint: `:\`, find: addresses}}},
		{Name: "password", probes: slices.Concat(
			assignments(password, "password", "passwd", "passphrase", "passcode"),
			assignments(always(likely), "pwd"), assignments(pass, "pass"))},
		{Name: "secret", probes: slices.Concat(
			assignments(always(likely), "secret_key_base", "secret", "apikey"),
			assignments(always(unsure), "credentials", "credential"), assignments(secretKey, "key"))},
		{Name: "token", probes: assignments(secretToken, "token")},
	}
}

func dotted(c byte) bool { return url64(c) || c == '.' }

func always(d doubt) func(string) doubt { return func(string) doubt { return d } }

// password rates a key that ends with "password". Labels of a form are not secret.
func password(before string) doubt {
	if endsWith(before, "forgot", "forgotten", "reset", "change", "show", "hide", "wrong", "invalid") {
		return innocent
	}
	return certain
}

// pass rates a key that ends with "pass". It must be a word of its own, and not the verdict of a test.
func pass(before string) doubt {
	switch {
	case before == "":
		return inQuotes
	case letter(before[len(before)-1]):
		return innocent
	}
	return unsure
}

// secretKey rates a key that ends with "key". Keys of database tables are not secret.
func secretKey(before string) doubt {
	if endsWith(before, "api", "access", "secret", "private", "encryption", "signing", "auth", "master", "account", "subscription", "shared") {
		return likely
	}
	return innocent
}

// secretToken rates a key that ends with "token". Page cursors and token counts of a language model are not secret.
func secretToken(before string) doubt {
	switch {
	case before == "":
		return vague
	case endsWith(before, "page", "pagination", "next", "prev", "previous", "continuation", "cursor", "sync", "start", "resume", "skip",
		"delta", "scroll", "max", "eos", "bos", "pad", "unk", "sep", "stop", "per", "progress", "plan"):
		return innocent
	}
	return unsure
}

// endsWith reports whether a key ends with one of the words.
func endsWith(key string, words ...string) bool {
	key = squeeze(key)
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(key, w) })
}

// keyLength is more than the length of any private key, in bytes.
const keyLength = 1 << 16

// privateKeys finds a PEM block. If its end is missing, it stops at the first text that does not look like PEM.
func privateKeys(text string, at int) (span, int) {
	label := run(text, at+len("-----BEGIN "), func(c byte) bool { return 'A' <= c && c <= 'Z' || digit(c) || c == ' ' })
	if !strings.Contains(text[at:label], "PRIVATE KEY") || !strings.HasPrefix(text[label:], "-----") {
		return span{}, label
	}
	end := label + len("-----")
	for i := end; i < min(len(text), at+keyLength) && text[i] != '"'; i++ {
		if text[i] != '-' {
			continue
		}
		if strings.HasPrefix(text[i:], "-----END ") {
			i = run(text, i+len("-----END "), func(c byte) bool { return 'A' <= c && c <= 'Z' || digit(c) || c == ' ' })
			i = run(text, i, func(c byte) bool { return c == '-' })
			return span{start: at, end: i}, i
		}
		if strings.HasPrefix(text[i:], "-----BEGIN ") {
			break
		}
	}
	end = run(text, end, func(c byte) bool { return alnum(c) || strings.IndexByte("+/=\\ \r\n\t:,", c) >= 0 })
	return span{start: at, end: end - backslashes(text, end)}, end
}

// headers finds the credential of an Authorization header. The scheme stays.
func headers(text string, at int) (span, int) {
	v, next := headerValue(text, at+len("authorization"))
	if v.start == v.end {
		return span{}, next
	}
	return credential(text, v.start, v.end), next
}

// headerValue returns the value of a header whose name ends at text[i], and the end of the text it has examined.
func headerValue(text string, i int) (v span, next int) {
	i = skipSpace(text, quoteEnd(text, i))
	if i == len(text) || text[i] != ':' && text[i] != '=' {
		return span{}, i
	}
	i = skipSpace(text, i+1)
	if i < len(text) && text[i] == '[' {
		i = skipSpace(text, i+1) // as in a JSON form of all headers
	}
	if quote := quoteEnd(text, i); quote > i {
		return readString(text, quote, text[i:quote])
	}
	end := i
	for ; end < len(text) && text[end] >= ' ' && strings.IndexByte("\"'<`", text[end]) < 0; end++ {
		if text[end] == '\\' && end+1 < len(text) && strings.IndexByte(`nr"'\`, text[end+1]) >= 0 {
			break
		}
	}
	return span{start: i, end: end}, end
}

// cookies finds the cookie values that are long and look random, and everything between the first and the last in a
// header. Other cookies are settings.
func cookies(text string, at int) (span, int) {
	v, next := headerValue(text, at+len("cookie"))
	var s span
	for i := v.start; i < v.end; {
		sign := strings.IndexByte(text[i:v.end], '=')
		if sign < 0 {
			break
		}
		i += sign + 1
		end := i + run(text[i:v.end], 0, func(c byte) bool { return c > ' ' && c != ';' && c != ',' && c != '\\' })
		if end-i >= 16 && random(text[i:end]) {
			if s.end == 0 {
				s.start = i
			}
			s.end = end
		}
		i = end
	}
	return s, next
}

// credential returns the secret in text[i:end], without its scheme if it has one.
func credential(text string, i, end int) span {
	scheme, rest, two := strings.Cut(text[i:end], " ")
	if !two {
		if placeholder(scheme) || !random(scheme) {
			return span{}
		}
		return align(text, span{start: i, end: end})
	}
	start := i + len(scheme) + 1
	value, _, more := strings.Cut(rest, " ")
	switch {
	case placeholder(value) || scheme == "" || !letter(scheme[0]) || !strings.Contains(" bearer basic token apikey key negotiate ", " "+strings.ToLower(scheme)+" ") && !strings.Contains(rest, "="):
		return span{}
	case more && !strings.Contains(rest, "="):
		end = start + len(value)
	}
	return align(text, span{start: start, end: end})
}

// bearers finds the token after any "Bearer".
func bearers(text string, at int) (span, int) {
	start := at + len("bearer ")
	end := run(text, start, func(c byte) bool { return url64(c) || strings.IndexByte(".~+/=", c) >= 0 })
	if end-start < 16 || !random(text[start:end]) {
		return span{}, end
	}
	return span{start: start, end: end}, end
}

// basics finds a name and a password in the base64 after any "Basic".
func basics(text string, at int) (span, int) {
	start := at + len("basic ")
	end := run(text, start, func(c byte) bool { return alnum(c) || c == '+' || c == '/' })
	stop := run(text, end, func(c byte) bool { return c == '=' })
	if end-start > 1000 {
		return span{}, stop
	}
	plain, err := base64.RawStdEncoding.DecodeString(text[start:end])
	if err != nil || !strings.Contains(string(plain), ":") || strings.ContainsFunc(string(plain), func(r rune) bool { return r < ' ' || r == utf8.RuneError }) {
		return span{}, stop
	}
	return span{start: start, end: stop}, stop
}

// addresses finds the password in scheme://user:password@host. The slashes may be escaped.
func addresses(text string, at int) (span, int) {
	if at == 0 || !alnum(text[at-1]) {
		return span{}, at
	}
	i, slashes := at+1, 0
	for i < len(text) && i-at < 64 && (text[i] == '/' || text[i] == '\\') {
		if text[i] == '/' {
			slashes++
		}
		i++
	}
	if slashes != 2 {
		return span{}, i
	}
	end := run(text, i, func(c byte) bool { return c > ' ' && strings.IndexByte("/?#\"'<>\\`", c) < 0 })
	sign := strings.LastIndexByte(text[i:end], '@')
	colon := strings.IndexByte(text[i:end], ':')
	if sign < 0 || colon < 0 || colon+1 >= sign || placeholder(text[i+colon+1:i+sign]) {
		return span{}, end
	}
	return span{start: i + colon + 1, end: i + sign}, end
}
