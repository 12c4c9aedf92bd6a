package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(allTests{m}, map[string]func(){"stackreeve": main})
}

// allTests deletes the files that the tests share, after all tests have ended.
type allTests struct{ *testing.M }

// Run implements [testscript.TestingM].
func (t allTests) Run() int {
	defer shipped.remove()
	return t.M.Run()
}

// shipped is the binary as it is released. It is built once for all tests, because linking takes six seconds of CPU time.
var shipped shipment

type shipment struct {
	once sync.Once
	dir  string
	err  error
}

func (s *shipment) binary() (string, error) {
	s.once.Do(func() {
		if s.dir, s.err = os.MkdirTemp("", "stackreeve-shipped-"); s.err != nil {
			return
		}
		if out, err := exec.CommandContext(context.Background(), "../../deploy/build", filepath.Join(s.dir, "stackreeve")).CombinedOutput(); err != nil {
			s.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	return filepath.Join(s.dir, "stackreeve"), s.err
}

func (s *shipment) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // the system deletes remaining files
	}
}
