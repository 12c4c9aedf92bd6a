// Package stackreeve carries the example repositories that the demo, the tests
// and the documentation share.
package stackreeve

import (
	"embed"
	"io/fs"
)

//go:embed testdata/verda testdata/k-orc testdata/shop testdata/definitions
var examples embed.FS

// Example returns the files of an example repository, e.g. "verda".
func Example(name string) (fs.FS, error) { return fs.Sub(examples, "testdata/"+name) }
