package cost

// A Bill is the cost of a conversation, in tokens.
type Bill struct {
	Definitions int    // including instructions
	Listed      int    // the whole of tools/list; zero for the endpoint
	Turns       []Turn // in order
	Steps       []int  // number of turns after each step
}

// A Turn is a call of the model and its reply.
type Turn struct {
	Tool, Args string
	Sent, Got  int // tokens
}

// A Price is the cost of a conversation in both ways of counting.
type Price struct {
	Turns int
	Once  int // each token once: earlier input is cached for free
	Input int // all tokens that a model reads: each request repeats the definitions and all turns so far
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
