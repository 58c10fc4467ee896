package config

// Values returns a file without what is remembered of its text.
func Values(f *File) *File {
	values := *f
	values.source = nil
	return &values
}
