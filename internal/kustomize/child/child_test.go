package child_test

import (
	"os"
	"testing"

	"github.com/stackreeve/stackreeve/internal/kustomize/child"
)

// TestMain lets the test program be the process that runs kustomize, as the real program is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == child.Command {
		if err := child.Main(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
}
