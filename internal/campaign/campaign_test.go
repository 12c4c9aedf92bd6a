package campaign

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

var (
	oneCase  = flag.String("campaign.case", "", "run this case only, as a failure prints it")
	seed     = flag.Uint64("campaign.seed", 1, "chooses the cases, and what they leave to chance")
	cases    = flag.Int("campaign.cases", 240, "number of cases; more than there are means all")
	only     = flag.String("campaign.fault", "", "run cases with this fault only")
	showLog  = flag.Bool("campaign.log", false, "print the log of the agents if a case fails")
	tableOut = flag.String("campaign.table", "", "write the table of docs/reliability.md to this file")
)

// TestMain writes the clouds.yaml of all agents. It is the same for all worlds, because their clouds have the same address.
func TestMain(m *testing.M) {
	flag.Parse()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1) // the goroutines for signals must not begin inside of a bubble
	dir, err := os.MkdirTemp("", "campaign")
	if err != nil {
		panic(err)
	}
	name := filepath.Join(dir, "clouds.yaml")
	if err := errors.Join(os.WriteFile(name, simulatorClouds(), 0o600), os.Setenv("OS_CLIENT_CONFIG_FILE", name)); err != nil {
		panic(err)
	}
	m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
}

// In each case, one fault happens to one request of a story. After the faults, the cloud holds what the manifests say: no object twice, none
// left, nothing of other people changed, no secret in any output.
func TestCampaign(t *testing.T) {
	testcost.NotUnderRace(t) // hundreds of agents run one after the other, and the detector sees each of their parts in other tests
	testcost.Long(t)
	known, all := map[string]*expected{}, []Case(nil)
	for _, s := range stories() {
		known[s.name] = rehearse(t, s)
		for _, c := range known[s.name].All(*seed) {
			if *only == "" || c.Fault == *only {
				all = append(all, c)
			}
		}
	}
	chosen := Choose(all, *cases, *seed)
	if *oneCase != "" {
		c, err := ParseCase(*oneCase)
		if err != nil {
			t.Fatal(err)
		}
		chosen = []Case{c}
	}
	t.Logf("%d cases of %d, seed %d", len(chosen), len(all), *seed)
	results := &results{}
	t.Run("cases", func(t *testing.T) {
		for _, c := range chosen {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				e := known[c.Story]
				if e == nil || c.Phase >= len(e.counts) {
					t.Fatal("there is no such story or phase")
				}
				r := e.run(t, c)
				results.add(c, r)
				for _, p := range r.problems {
					t.Errorf("%s\nrepeat: go test ./internal/campaign -run TestCampaign -campaign.log -campaign.case='%s'", p, c)
				}
			})
		}
	})
	t.Log("\n" + results.table())
	if *tableOut != "" {
		if err := os.WriteFile(*tableOut, []byte(results.table()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// results are the results of all cases, by fault.
type results struct {
	mu  sync.Mutex
	all map[string]*tally
}

type tally struct {
	cases, missed, failed, requests int
	took                            time.Duration
}

func (r *results) add(c Case, one result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*tally{}
	}
	t := cmp.Or(r.all[c.Fault], &tally{})
	r.all[c.Fault] = t
	t.cases++
	if one.struck == 0 {
		t.missed++
	}
	if len(one.problems) > 0 {
		t.failed++
	}
	t.requests, t.took = max(t.requests, one.requests), max(t.took, one.took)
}

// table returns the table of docs/reliability.md.
func (r *results) table() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.WriteString("| fault | what happens to the request | cases | failed | in sync after, at most | requests, at most |\n|---|---|---|---|---|---|\n")
	row := func(name, about string) {
		if t := r.all[name]; t != nil {
			fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | %d |\n", name, about, t.cases-t.missed, t.failed, t.took.Round(time.Second), t.requests)
		}
	}
	for _, f := range Faults() {
		row(f.Name, f.About)
	}
	for _, o := range Outages() {
		row(o.Name, o.About+", for 20 minutes")
	}
	return b.String()
}

// shownLog returns where logs go besides the memory.
func shownLog() io.Writer {
	if *showLog && *oneCase != "" {
		return os.Stderr
	}
	return io.Discard
}
