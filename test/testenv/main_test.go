package testenv_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A package that watches for leaked goroutines must be able to use this one.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
