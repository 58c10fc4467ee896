package registry

// A Watched is a [Source] that says when it changes. A [Registry] is one.
type Watched interface {
	Source
	// Changed returns a channel that is closed when what the source has changes
	// next, for whomever. It is asked for before what there is is looked at, so
	// that no change is missed, and does not block.
	Changed() <-chan struct{}
}

// Changed returns a channel that is closed when src changes next; nil if src
// does not say so (it is not [Watched]).
func Changed(src Source) <-chan struct{} {
	if w, ok := src.(Watched); ok {
		return w.Changed()
	}
	return nil
}

// Changed implements [Watched]. One change may be seen as several.
func (r *Registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.news == nil {
		r.news = make(chan struct{})
	}
	return r.news
}

// tell tells those who wait for a change. The caller holds r.mu.
func (r *Registry) tell() {
	if r.news != nil {
		close(r.news)
		r.news = nil
	}
}
