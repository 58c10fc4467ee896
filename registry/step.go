package registry

// A Step is the next step after an error. Each face words it for its own tools.
type Step int

// The steps.
const (
	NoStep         Step = iota
	LookUp              // see what there is, in the namespace of the error
	ReadDefinition      // read the parameters of the function of the error
	LookUpSkills        // see which skills there are
)

// NextStep returns the step that a face words: Next, or that of the kind if there is no Hint.
func (e *Error) NextStep() Step {
	if e.Next != NoStep || e.Hint != "" {
		return e.Next
	}
	switch e.Kind {
	case UnknownNamespace, UnknownFunction, InvalidName:
		return LookUp
	case UnknownSkill:
		return LookUpSkills
	case InvalidArguments:
		if e.Name != "" {
			return ReadDefinition
		}
	}
	return NoStep
}

// For returns the error for a face without the tools call, help and skill. word returns the sentence
// for the next step in terms of the tools that the face has; it may be empty. A Hint for any face
// stays.
func (e *Error) For(word func(e *Error, next Step) string) *Error {
	next := e.NextStep()
	if next == NoStep {
		return e
	}
	own := *e
	own.Hint, own.Next = word(e, next), NoStep
	if own.Message == "" { // all that its server said was advice
		own.Message = "The call failed."
	}
	return &own
}
