package schema

// Limits on schemas. A foreign schema that exceeds one is refused, and the
// error names the limit.
const (
	maxSize      = 256 << 10 // bytes of the document
	maxNodes     = 10_000    // subschemas that the root can reach
	maxEnum      = 10_000    // values in one enum
	maxChain     = 256       // subschemas applied in a row to one value
	maxPattern   = 5_000     // instructions of one compiled regular expression
	maxPatterns  = 100_000   // instructions of all regular expressions
	maxGroups    = 1_000     // nested groups of a regular expression
	maxNotes     = 20        // notes that Parse records
	maxRefLength = 2_000     // bytes of a $ref or an $id
)

// Limits on one check. A step is a visit of a subschema, or about as much work.
const (
	baseSteps    = 1_000_000 // steps for any arguments
	stepsPerByte = 2         // more steps for every byte
	bytesPerStep = 32        // bytes read for one step
	pollSteps    = 4_096     // steps between two checks of the context
)

// Limits on texts for a model.
const (
	maxViolations = 5
	maxKey        = 64    // characters of a key in a path or a message
	maxListed     = 12    // names or values in a list
	maxValue      = 40    // characters of one listed value
	maxShown      = 120   // characters of a pattern, a type or a bound
	maxRules      = 400   // characters of Param.Rules
	maxText       = 600   // characters of a description that came from outside
	maxLevels     = 5     // levels of parameters and their fields
	maxFields     = 1_000 // fields below the parameters, in all
)
