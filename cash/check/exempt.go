package check

// exemptChecks are about what the gate is for and what not (RFC 7.1, 7.4).
var exemptChecks = []criterion{
	{"R101", "help and skill are never gated", none, ungatedText},
	{"R102", "streaming responses are not gated", needStream, ungatedStream},
	{"R104", "long errors are gated, and stay errors", needLargeError, gatedErrors},
	{"R106", "content that is no text counts", needMedia, gatedMedia},
}

func ungatedText(p *probe) {
	for _, args := range p.helpPages() {
		want := p.tool("help", args)
		p.must(same(want, p.tool("help", args.and("sizelimit", 1))), "help%s is gated", args)
	}
	for _, s := range p.sampledSkills() {
		want := p.tool("skill", s.args())
		got, err := p.try("skill", s.args().and("sizelimit", 1))
		p.must(err != nil || same(want, got), "the skill %s is gated", s.Name)
	}
}

func ungatedStream(p *probe) {
	got := p.tool("call", p.Stream.args())
	p.must(!looksGated(got) && !got.IsError, "the result of a streaming function is gated: %s", excerpt(got.Text))
	p.must(chars(got) > p.SizeLimit, "Target.Stream has a result of %d characters, want more than %d", chars(got), p.SizeLimit)
}

func gatedErrors(p *probe) {
	gated := p.tool("call", p.LargeError.args())
	p.should(looksGated(gated), "an error of %d characters is not gated", chars(gated))
	p.should(gated.IsError, "a gated error is no error")
	full := p.full(p.LargeError)
	p.should(full.IsError && chars(full) > p.SizeLimit, "a larger size limit does not show the error: %s", excerpt(full.Text))
}

func gatedMedia(p *probe) {
	gated := p.tool("call", p.Media.args())
	p.should(looksGated(gated), "a block that is no text is not gated")
	full := p.full(p.Media)
	p.should(!full.IsError && !onlyText(full), "a larger size limit does not let the block through: %s", excerpt(full.Text))
}
