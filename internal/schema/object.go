package schema

import (
	"bytes"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// object checks the object at i.
func (v *run) object(r *objectRules, i int, ev *evaluated) (int, bool) {
	var few [2]uint64
	seen := bits(few[:])
	if words := (len(r.names) + 63) / 64; words > len(few) {
		seen = make(bits, words)
		v.spend(words)
	}
	start, ok, count, next := i, true, 0, 0
	for i = strictjson.SkipSpace(v.data, i+1); v.at(i) == '"'; count++ {
		m := v.memberAt(i)
		m.index = count
		if m.name = v.findName(r, m, next); m.name >= 0 {
			seen.set(m.name)
			next = m.name + 1
		}
		v.push(m.key, m.keyEnd)
		end, good := v.member(r, m, ev)
		v.pop()
		if !good {
			if ok = false; v.stopped() {
				v.spendBytes(i - start)
				return end, false
			}
		}
		i = strictjson.NextItem(v.data, end)
	}
	if !v.spendBytes(i - start + 2*len(r.names)) {
		return i, false
	}
	return min(i+1, len(v.data)), v.whole(r, start, count, seen, ev) && ok
}

// A memberAt is the location of a member's key and value.
type memberAt struct {
	key, keyEnd, value int
	index              int // position among the members
	name               int // in objectRules.names, or -1
}

// memberAt parses the key at i.
func (v *run) memberAt(i int) memberAt {
	end := strictjson.Skip(v.data, i)
	colon := strictjson.SkipSpace(v.data, end)
	value := strictjson.SkipSpace(v.data, min(colon+1, len(v.data)))
	return memberAt{key: i, keyEnd: end, value: min(value, len(v.data)-1)}
}

// findName looks up a key among the names with rules.
func (v *run) findName(r *objectRules, m memberAt, guess int) int {
	name := v.data[m.key+1 : max(m.keyEnd-1, m.key+1)]
	if i := r.find(name, guess); i >= 0 || bytes.IndexByte(name, '\\') < 0 {
		return i
	}
	return r.find([]byte(strictjson.Text(v.data[m.key:m.keyEnd])), guess)
}

// member checks one member against all rules that apply to it.
func (v *run) member(r *objectRules, m memberAt, ev *evaluated) (int, bool) {
	end, ok, matched := -1, true, false
	if m.name >= 0 && m.name < r.properties {
		matched = true
		if end, ok = v.value(r.names[m.name].node, m.value, nil); !ok && v.stopped() {
			return end, false
		}
	}
	if len(r.patterns) > 0 {
		hit, good := v.patterns(r, m)
		matched, ok = matched || hit, ok && good
		if !ok && v.stopped() {
			return m.value, false
		}
	}
	if r.propertyNames != nil {
		if _, good := v.value(r.propertyNames, m.key, nil); !good {
			if ok = false; v.stopped() {
				return m.value, false
			}
		}
	}
	if !matched && r.additional != nil {
		matched = true
		if end, good := v.additional(r, m); !good {
			return end, false
		}
	}
	if matched && ev != nil {
		ev.mark(m.index)
	}
	if end < 0 {
		end = v.over(m.value)
	}
	return end, ok
}

// patterns checks a member against patternProperties, and reports whether a pattern matches.
func (v *run) patterns(r *objectRules, m memberAt) (matched, ok bool) {
	ok = true
	key := v.plainText(m.key, m.keyEnd)
	for _, rule := range r.patterns {
		if rule.pattern == nil {
			matched = true
			continue
		}
		if !v.spend(rule.pattern.steps(len(key))) {
			return matched, false
		}
		if !rule.pattern.re.Match(key) {
			continue
		}
		matched = true
		if _, good := v.value(rule.node, m.value, nil); !good {
			if ok = false; v.stopped() {
				break
			}
		}
	}
	return matched, ok
}

// additional checks a member that no property and no pattern covers.
func (v *run) additional(r *objectRules, m memberAt) (int, bool) {
	if !r.additional.never {
		return v.value(r.additional, m.value, nil)
	}
	v.fail("additionalProperties", func() string {
		return unknownMessage(r, strictjson.Text(v.data[m.key:m.keyEnd]), len(v.path) == 1)
	})
	return v.past(m.value), false
}

// whole checks the rules for the object as a whole.
func (v *run) whole(r *objectRules, i, count int, seen bits, ev *evaluated) bool {
	ok := true
	if r.requires {
		ok = v.requires(r, seen)
	}
	if count < r.min {
		ok = v.fail("minProperties", func() string { return "must have at least " + plural(r.min, "member", "members") })
	}
	if r.max >= 0 && count > r.max {
		ok = v.fail("maxProperties", func() string { return "must have at most " + plural(r.max, "member", "members") })
	}
	if !v.spend(len(r.dependencies) / 8) {
		return false
	}
	for _, d := range r.dependencies {
		if !ok && v.stopped() {
			return false
		}
		if seen.has(d.trigger) {
			ok = v.depends(r, d, i, seen, ev) && ok
		}
	}
	return ok
}

// requires reports missing names.
func (v *run) requires(r *objectRules, seen bits) bool {
	ok := true
	for k := range r.names {
		if r.names[k].required && !seen.has(k) {
			if ok = v.missing(r.names[k].name, "required", "missing"); v.stopped() {
				return false
			}
		}
	}
	return ok
}

// missing reports a missing member.
func (v *run) missing(name, rule, message string) bool {
	if !v.stopped() {
		v.violations = append(v.violations, Violation{Path: appendKey(v.where(), name), Rule: rule, Message: message})
	}
	return false
}

// depends checks the requirements of a present name.
func (v *run) depends(r *objectRules, d dependency, i int, seen bits, ev *evaluated) bool {
	if !v.spend(1 + len(d.needs)) {
		return false
	}
	ok := true
	for _, need := range d.needs {
		if !seen.has(need) {
			if v.stopped() {
				return false
			}
			ok = v.missing(r.names[need].name, "dependentRequired", "missing, but needed beside `"+clean(r.names[d.trigger].name, maxKey)+"`")
		}
	}
	if d.node == nil {
		return ok
	}
	_, good := v.value(d.node, i, ev)
	return good && ok
}
