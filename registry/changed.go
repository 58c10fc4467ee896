package registry

// A Watched is a [Source] that reports its changes. A [Registry] is one.
type Watched interface {
	Source
	// Changed returns a channel that is closed at the next change of the source, for any caller.
	// Call it before reading the source, so that no change is missed. It does not block.
	Changed() <-chan struct{}
}

// Changed returns a channel that is closed at the next change of src. It is nil if src is not
// [Watched].
func Changed(src Source) <-chan struct{} {
	if w, ok := src.(Watched); ok {
		return w.Changed()
	}
	return nil
}

// Changed implements [Watched]. One change may be reported more than once.
func (r *Registry) Changed() <-chan struct{} {
	r.lock()
	defer r.mu.Unlock()
	if r.change == nil {
		r.change = make(chan struct{})
	}
	return r.change
}

// notifyChanged closes the channel returned by [Registry.Changed]. The caller holds r.mu.
func (r *Registry) notifyChanged() {
	if r.change != nil {
		close(r.change)
		r.change = nil
	}
}
