package cost

// A Bill is the cost of a conversation, in tokens.
type Bill struct {
	Definitions  int    // including instructions
	Instructions int    // of Definitions; zero for the endpoint
	Listed       int    // the whole of tools/list; zero for the endpoint
	Turns        []Turn // in order
	Steps        []int  // number of turns after each step
	// Defined are the texts that Definitions counts. Nil unless [PlayOptions].Texts is set.
	Defined []string
}

// A Turn is a call of the model and its reply.
type Turn struct {
	Tool, Args string
	Sent, Got  int // tokens
	// Reply is the text that the model reads. Empty unless [PlayOptions].Texts is set.
	Reply string
}

// A Price is the cost of a conversation in both ways of counting.
type Price struct {
	Turns int `json:"turns"`
	Once  int `json:"once"`  // each token once: earlier input is cached for free
	Input int `json:"input"` // all tokens that a model reads: each request repeats the definitions and all turns so far
}

// Layers returns the tokens of the turns of the first n steps: those that find the functions, and the last one of each
// step, which calls.
func (b *Bill) Layers(n int) (finding, calling int) {
	ends := b.Steps[:min(n, len(b.Steps))]
	for _, end := range ends {
		if end > 0 {
			calling += b.Turns[end-1].Sent + b.Turns[end-1].Got
		}
	}
	if len(ends) > 0 {
		finding = b.Added(ends[len(ends)-1]) - calling
	}
	return finding, calling
}

// Added returns the tokens that the first n turns have added.
func (b *Bill) Added(n int) int {
	sum := 0
	for _, t := range b.Turns[:n] {
		sum += t.Sent + t.Got
	}
	return sum
}

// After returns the price of the first n turns and the answer.
func (b *Bill) After(n int) Price {
	p := Price{Turns: n, Once: b.Definitions}
	p.Input = p.Once
	for _, t := range b.Turns[:n] {
		p.Once += t.Sent + t.Got
		p.Input += p.Once
	}
	return p
}

// Whole returns the price of all turns.
func (b *Bill) Whole() Price { return b.After(len(b.Turns)) }
