package upstream

// CheckServer returns what is wrong with a server, as [Aggregator.Add] would.
func CheckServer(s Server) error {
	_, err := s.withDefaults()
	return err
}
