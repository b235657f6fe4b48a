package holdstore_test

import (
	"testing"

	"usher/repo/holdstore/holdstoretest"
)

func BenchmarkHoldEmbedded(b *testing.B) {
	const seats = 100_000
	f := warm(b, holdstoretest.Embedded(b), seats)
	i := 0
	for b.Loop() {
		if i == seats {
			b.Fatal("sold out")
		}
		f.hold(b, "u", i)
		i++
	}
}
