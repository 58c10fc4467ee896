//go:build unix && !linux

package procgroup_test

func starter() {}

func answering() {}
