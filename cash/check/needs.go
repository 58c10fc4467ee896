package check

import "encoding/json"

// A need is a condition of a row: without it the row is not checked.
type need struct {
	missing string // the reason in the row
	met     func(*suite) bool
}

var none need // needs nothing

// unseen is the need of a row that a black box cannot check.
func unseen(why string) need { return need{why, func(*suite) bool { return false }} }

// The needs of Compliance.
var (
	needRead       = need{"Target.Read is nil; set Target.Read to a call that succeeds, such as &check.Sample{Namespace: ..., Function: ..., Kwargs: ...}", func(s *suite) bool { return s.Read != nil }}
	needEcho       = need{"Target.Echo is nil; set Target.Echo to a function that returns one of its arguments", func(s *suite) bool { return s.Echo != nil }}
	needLarge      = need{"Target.Large is nil; set Target.Large to a call whose result is over the gate threshold", func(s *suite) bool { return s.Large != nil }}
	needSized      = need{"Target.Sized is nil; set Target.Sized to a function that returns a call whose result has exactly so many characters", func(s *suite) bool { return s.Sized != nil }}
	needStream     = need{"Target.Stream is nil; set Target.Stream to a call of a streaming function with a result over the gate threshold", func(s *suite) bool { return s.Stream != nil }}
	needMedia      = need{"Target.Media is nil; set Target.Media to a call whose result is over the gate threshold because of an image", func(s *suite) bool { return s.Media != nil }}
	needLargeError = need{"Target.LargeError is nil; set Target.LargeError to a call that fails with a text over the gate threshold", func(s *suite) bool { return s.LargeError != nil }}
	needFails      = need{"Target.Fails is empty; set Target.Fails to calls that fail, panic, return nothing, or hang until their own deadline", func(s *suite) bool { return len(s.Fails) > 0 }}
	needEffect     = need{"Target.Effect is nil; set Target.Effect to a call that changes something, with a count of its runs", func(s *suite) bool { return s.Effect != nil }}
	needHidden     = need{"Target.Hidden is nil; set Target.Hidden to a function that this caller may not see, with a transport of one who may", func(s *suite) bool { return s.Hidden != nil }}

	needJSON       = need{"help() names no format json", func(s *suite) bool { return s.json }}
	needSearch     = need{"help() names no argument search that changes its page", func(s *suite) bool { return s.search }}
	needSkill      = need{"there is no skill", func(s *suite) bool { return s.anySkill() != nil }}
	needFunction   = need{"help shows no function", func(s *suite) bool { return len(s.tree.leaves) > 0 }}
	needNamespace  = need{"help shows no namespace", func(s *suite) bool { return len(s.tree.places) > 1 }}
	needNamespaced = need{"help shows no function in a namespace", func(s *suite) bool { return s.namespaced() != leaf{} }}
	needDepth      = need{"help shows no function below the second level", func(s *suite) bool { return s.deepest() != leaf{} }}
	needMixed      = need{"help shows no namespace with both namespaces and functions", func(s *suite) bool { return len(s.mixed()) > 0 }}

	needKwargs = need{"Target.Read is nil or has no kwargs; set Target.Read to a call with kwargs", func(s *suite) bool { return s.Read != nil && len(s.readKwargs()) > 0 }}
	needInputs = need{"Target.Skill is nil or has no Inputs; set Target.Skill to a skill whose text has its Inputs", func(s *suite) bool { return s.Skill != nil && len(s.Skill.Inputs) > 0 }}
	needKeeps  = need{"Target.Skill is nil or has no Keeps; set Target.Skill to a skill with Keeps, parts that the model must get unchanged", func(s *suite) bool { return s.Skill != nil && len(s.Skill.Keeps) > 0 }}
	needTwins  = need{"help shows no namespace with the name of a function beside it", func(s *suite) bool {
		pl, _ := s.twins()
		return pl != nil
	}}
	needRoot = need{"help() lists no function, and Target.Read is not in the root; register a function in the root, or set Target.Read to one there", func(s *suite) bool {
		return s.Read != nil && s.Read.Namespace == "" || len(s.tree.root().functions) > 0
	}}
	needThreshold = need{"Target.SizeLimit is 0 and Target.Sized is nil; set Target.SizeLimit to the server's gate threshold, or Target.Sized", func(s *suite) bool {
		return s.SizeLimit != defaultSizeLimit || s.Sized != nil
	}}
)

// The needs of Disclosure.
var (
	needResource = need{"the resource is not listed", func(s *suite) bool { return s.resource != nil }}
	needTools    = need{"there is no tool or no resource", func(s *suite) bool { return s.uri != "" && len(s.described()) > 0 }}
	needCall     = need{"DisclosureTarget.Call is nil, or there is no resource; set DisclosureTarget.Call to a call that succeeds", func(s *suite) bool { return s.d.Call != nil && s.uri != "" }}
	needOther    = need{"DisclosureTarget.Call or Other is nil, or there is no resource; set DisclosureTarget.Call and Other to calls of two tools", func(s *suite) bool {
		return s.d.Call != nil && s.d.Other != nil && s.uri != ""
	}}
	needHiddenTool = need{"DisclosureTarget.Hidden and Denied are empty, or there is no resource; set DisclosureTarget.Hidden to the name of a tool that this caller may not see, or Denied to a call of one", func(s *suite) bool {
		return (s.d.Hidden != "" || s.d.Denied != nil) && s.uri != ""
	}}
	needInvalid = need{"DisclosureTarget.Call or Invalid is nil, or there is no resource; set DisclosureTarget.Call to a call that succeeds, and Invalid to arguments that its tool refuses", func(s *suite) bool {
		return s.d.Call != nil && s.d.Invalid != nil && s.uri != ""
	}}
)

// namespaced returns the first function in a namespace.
func (s *suite) namespaced() leaf {
	for _, l := range s.tree.leaves {
		if l.namespace != "" {
			return l
		}
	}
	return leaf{}
}

// anyFunction returns the first function, preferably one in a namespace.
func (s *suite) anyFunction() leaf {
	if l := s.namespaced(); l.namespace != "" {
		return l
	}
	return s.tree.leaves[0]
}

// anySkill returns the sample, or else a skill that was found.
func (s *suite) anySkill() *SkillSample {
	switch {
	case s.Skill != nil:
		return s.Skill
	case len(s.skills) > 0:
		return &s.skills[0]
	}
	return nil
}

// readKwargs returns the kwargs of Target.Read as an object.
func (s *suite) readKwargs() map[string]json.RawMessage {
	var kwargs map[string]json.RawMessage
	if json.Unmarshal([]byte(toJSON(s.Read.Kwargs)), &kwargs) != nil {
		return nil
	}
	return kwargs
}
