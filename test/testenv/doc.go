// Package testenv gives tests the real servers usher runs on: Redis and PostgreSQL, each in a temporary folder on a free
// loopback port.
//
// It owns the life of those processes and nothing else: what a test does with a server is the test's business. It is
// imported from _test.go files and from other test-support packages only.
//
// Nothing is left behind. A server ends with its test, and a small shell process beside it, the reaper, ends it and removes
// its folder when the test binary dies without cleaning up: a panic, the -timeout of go test, a kill -9.
//
// Where a server is not installed the test is skipped with a sentence that says so. With USHER_TEST_REQUIRE_SERVERS=1, which
// make test sets once everything is installed, it fails instead.
//
// The package runs on Linux and macOS. The methods that stop or start a server report failures through the test they were
// made for, so a goroutine that calls them must end before that test does.
package testenv
