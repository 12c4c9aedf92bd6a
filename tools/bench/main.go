// Command bench reads the output of `go test -bench`, prints the tables of a page, and writes their figures into the page.
//
//	go test -bench . ./... | bench PAGE
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"
)

func main() {
	if err := run(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// results are the measured values.
type results map[key]float64

// key is the folder of a package, one of its benchmarks without the number of processors, and the unit of a value. Values and units are those
// that `go test` prints.
type key struct{ folder, benchmark, unit string }

func run(in io.Reader, out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: go test -bench . ./... | bench PAGE")
	}
	measured, err := read(in)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	text, shown, err := rewrite(string(page), measured)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	fmt.Fprintln(out, strings.Join(shown, "\n"))
	return os.WriteFile(args[0], []byte(text), 0o644)
}

// read returns the values of the last run of each benchmark.
func read(in io.Reader) (results, error) {
	measured := results{}
	for r := benchfmt.NewReader(in, "standard input"); r.Scan(); {
		switch found := r.Result().(type) {
		case *benchfmt.Result:
			name := found.Name.Full()
			if _, parts := found.Name.Parts(); len(parts) > 0 && parts[len(parts)-1][0] == '-' {
				name = name[:len(name)-len(parts[len(parts)-1])]
			}
			for _, v := range found.Values {
				if v.OrigUnit != "" {
					v.Value, v.Unit = v.OrigValue, v.OrigUnit
				}
				measured[key{strings.TrimPrefix(found.GetConfig("pkg"), "github.com/stackreeve/stackreeve/"), string(name), v.Unit}] = v.Value
			}
		case *benchfmt.SyntaxError:
			continue // other lines of go test
		}
	}
	if len(measured) == 0 {
		return nil, errors.New("no benchmark was measured")
	}
	return measured, nil
}
