package registry

import (
	"encoding/json"
	"errors"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// OutcomeOf returns how a call with this result and error ended, in the words of package observe: ok, asked, or a
// [Kind]. The kind of an error result is its [MetaCode]; with a code that is no kind, the face has withheld the result,
// which is ok. A nil result is ok.
func OutcomeOf(r *Result, err error) observe.Outcome {
	switch {
	case err != nil:
		return observe.Outcome(kindOf(err))
	case r == nil:
		return observe.OK
	case r.InputRequests != nil:
		return observe.Asked
	case !r.IsError:
		return observe.OK
	}
	code, coded := r.Meta[MetaCode]
	if raw, ok := code.(json.RawMessage); ok {
		code = strictjson.Text(raw)
	}
	if text, ok := code.(string); ok && Kind(text).Known() {
		return observe.Outcome(text)
	} else if coded {
		return observe.OK
	}
	return observe.Outcome(Failed)
}

// kindOf returns the kind of an error, one of the set.
func kindOf(err error) Kind {
	e, ok := err.(*Error) // most are, and errors.As allocates
	if !ok || e == nil {
		e = AsError(err)
	}
	switch {
	case e.Kind == Failed && e.Err != nil:
		return faceKind(e)
	case !e.Kind.Known(): // a function may have made it up
		return Failed
	}
	return e.Kind
}

// faceKind returns the kind of an error that a face has in a form of its own, else [Failed].
func faceKind(e *Error) Kind {
	kind := Failed
	errors.As(e.Err, &kind)
	return kind
}
