package check

// Resident is for tests that serve over HTTP in a process of their own.
var Resident = resident
