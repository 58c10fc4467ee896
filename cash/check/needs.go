package check

import "encoding/json"

// need returns missing unless ok.
func need(ok bool, missing string) string {
	if ok {
		return ""
	}
	return missing
}

func needRead(s *suite) string   { return need(s.Read != nil, "Target.Read is nil") }
func needEcho(s *suite) string   { return need(s.Echo != nil, "Target.Echo is nil") }
func needLarge(s *suite) string  { return need(s.Large != nil, "Target.Large is nil") }
func needSized(s *suite) string  { return need(s.Sized != nil, "Target.Sized is nil") }
func needEffect(s *suite) string { return need(s.Effect != nil, "Target.Effect is nil") }
func needHidden(s *suite) string { return need(s.Hidden != nil, "Target.Hidden is nil") }

func needJSON(s *suite) string {
	return need(s.json, "help() names no format json")
}

func needFunction(s *suite) string {
	return need(len(s.tree.leaves) > 0, "help shows no function")
}

func needNamespace(s *suite) string {
	return need(len(s.tree.places) > 1, "help shows no namespace")
}

// needNamespacedFunction is for what takes a namespace and a function in it.
func needNamespacedFunction(s *suite) string {
	return need(s.namespaced() != leaf{}, "help shows no function in a namespace")
}

// namespaced returns the first function that is in a namespace.
func (s *suite) namespaced() leaf {
	for _, l := range s.tree.leaves {
		if l.namespace != "" {
			return l
		}
	}
	return leaf{}
}

func needSkill(s *suite) string {
	return need(s.anySkill() != nil, "there is no skill")
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

func needKwargs(s *suite) string {
	return need(s.Read != nil && len(s.readKwargs()) > 0, "Target.Read is nil or has no kwargs")
}

// readKwargs returns the kwargs of Target.Read as an object.
func (s *suite) readKwargs() map[string]json.RawMessage {
	var kwargs map[string]json.RawMessage
	if json.Unmarshal([]byte(toJSON(s.Read.Kwargs)), &kwargs) != nil {
		return nil
	}
	return kwargs
}
