// Command mutants changes a package in one place at a time and runs tests. A change that no test notices is a survivor.
//
//	go run . [-n 100] [-seed 1] [-in rules.go] ../.. ./internal/reconcile/plan ./internal/reconcile/plan ./internal/reconcile/engine
//
// The first argument is the folder of the module, and the second is the package to change. The tests of all
// further packages are run. The folder is not written: the compiler gets a copy of the package that contains all
// changes, each behind a guard. So each test binary is compiled once, and an environment variable selects the
// change. A run without any change records which test reaches which guard. A change is tried with the tests that
// reach its guard. If no test reaches it, the change is a survivor without a run.
//
// The command handles Go and does not depend on the program. Some changes have no effect that a test could see.
// People must find them among the survivors.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"sync"
)

// options select the changes that are tried.
type options struct {
	n      int // the number of changes that are drawn; 0 means all
	seed   uint64
	places *regexp.Regexp
	atOnce int
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 0, "how many changes are tried, drawn at random; 0 for all")
	flag.Uint64Var(&o.seed, "seed", 1, "of the draw")
	in := flag.String("in", "", "try only changes whose place (file:line:column) matches this expression")
	flag.IntVar(&o.atOnce, "at-once", 2, "how many changes are tried at once")
	flag.Parse()
	if flag.NArg() < 3 {
		fmt.Fprintln(os.Stderr, "usage: mutants [-n N] [-seed S] [-in PLACE] [-at-once N] MODULE PACKAGE TESTS...")
		os.Exit(2)
	}
	var err error
	if o.places, err = regexp.Compile(*in); err == nil {
		err = run(os.Stdout, o, flag.Arg(0), flag.Arg(1), flag.Args()[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, o options, module, pkg string, tests []string) error {
	p, err := load(module, pkg)
	if err != nil {
		return err
	}
	changes := p.change()
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := prepare(module, p, len(changes), dir, tests)
	if err != nil {
		return err
	}
	tried := draw(changes, o)
	count := map[result]int{}
	for i, r := range judge(b, tried, o.atOnce) {
		count[r]++
		if r != noticed {
			fmt.Fprintf(w, "%s: %s %s\n", tried[i].where, tried[i].what, r)
		}
	}
	_, err = fmt.Fprintf(w, "%s: %d of %d changes tried, %d not reached, %d survive: %.1f %% were noticed\n",
		pkg, len(tried), len(changes), count[unreached], count[survives], 100*float64(count[noticed])/float64(max(1, len(tried))))
	return err
}

// draw chooses some of the changes at random. The result has the order of the source.
func draw(all []change, o options) []change {
	there := slices.DeleteFunc(slices.Clone(all), func(c change) bool { return !o.places.MatchString(c.where) })
	if o.n <= 0 || o.n >= len(there) {
		return there
	}
	var drawn []change
	chosen := rand.New(rand.NewPCG(o.seed, 0)).Perm(len(there))[:o.n]
	for _, i := range slices.Sorted(slices.Values(chosen)) {
		drawn = append(drawn, there[i])
	}
	return drawn
}

// judge tries the changes, several at the same time.
func judge(b *binaries, tried []change, atOnce int) []result {
	results := make([]result, len(tried))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, atOnce) {
		wg.Go(func() {
			for i := range next {
				results[i] = b.try(tried[i].number)
			}
		})
	}
	for i := range tried {
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}
