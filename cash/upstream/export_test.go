package upstream

var (
	FunctionName  = functionName
	FunctionNames = functionNames
)

// Catalog returns what lets the definitions be what the server at label has, as
// if it had been asked. It may be called any number of times.
func Catalog(a *Aggregator, label string, defs ...*Definition) (adopt func(), err error) {
	u, err := a.find(label)
	if err != nil {
		return nil, err
	}
	c := &catalog{kind: Plain}
	if err := u.plant(c, u.functions(c, defs)); err != nil {
		return nil, err
	}
	return func() { u.adopt(c) }, nil
}
