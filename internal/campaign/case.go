package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Case is one run: the story, the request to spoil, and the fault. Its text, see [Case.String], repeats it.
type Case struct {
	Story string
	Phase int // index of the story's revision that is applied when the fault occurs
	// Request is the request to spoil, as [Layer] names it: method, path without IDs, and its number among the same requests of the phase.
	Request string
	Fault   string
	Seed    uint64 // for what the fault and the agent leave to chance
}

// String returns the case in the form that [ParseCase] reads.
func (c Case) String() string {
	return fmt.Sprintf("%s/%d/%s/%d/%s", c.Story, c.Phase, c.Fault, c.Seed, c.Request)
}

// ParseCase reads a case that was printed.
func ParseCase(text string) (c Case, err error) {
	parts := strings.SplitN(text, "/", 5)
	if len(parts) != 5 {
		return Case{}, errors.New("a case has the form STORY/PHASE/FAULT/SEED/REQUEST")
	}
	c.Story, c.Fault, c.Request = parts[0], parts[2], parts[4]
	if c.Phase, err = strconv.Atoi(parts[1]); err != nil {
		return Case{}, fmt.Errorf("phase of a case: %w", err)
	}
	if c.Seed, err = strconv.ParseUint(parts[3], 10, 64); err != nil {
		return Case{}, fmt.Errorf("seed of a case: %w", err)
	}
	return c, nil
}

// NoRequest is the request of a case with an [Outage], which concerns all requests.
const NoRequest = "-"

// Rehearsal is what a story requests without faults: for each phase, the names of all requests.
type Rehearsal struct {
	Story    string
	Requests [][]string
}

// All returns every case of a story: each request with each fault that can happen to it.
func (r Rehearsal) All(seed uint64) (cases []Case) {
	for phase, requests := range r.Requests {
		for _, o := range Outages() {
			if phase > 0 || !o.Later {
				cases = append(cases, Case{r.Story, phase, NoRequest, o.Name, seed})
			}
		}
		for _, request := range requests {
			for _, f := range Faults() {
				if f.Fits(request) {
					cases = append(cases, Case{r.Story, phase, request, f.Name, seed})
				}
			}
		}
	}
	return cases
}

// Choose returns n of the cases, chosen by the seed. Each fault and each kind of request (write, read) gets its turn, so that a small
// number is spread over all of them. It returns all cases if n is larger than their number.
//
// Whether a case comes before another one depends on the two and on the seed alone. A rehearsal makes some more or fewer requests each time, and
// the same seed still chooses the same cases, but for those.
func Choose(all []Case, n int, seed uint64) []Case {
	groups := map[string][]Case{}
	for _, c := range all {
		c.Seed = shuffled(seed, c.String()) >> 32
		name := fmt.Sprint(c.Fault, " ", c.Story, " ", writes(c.Request))
		groups[name] = append(groups[name], c)
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b Case) int { return cmp.Compare(a.Seed, b.Seed) })
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int { return cmp.Compare(shuffled(seed, a), shuffled(seed, b)) })
	var chosen []Case
	for len(chosen) < min(n, len(all)) {
		for _, name := range names {
			if len(groups[name]) > 0 && len(chosen) < n {
				chosen, groups[name] = append(chosen, groups[name][0]), groups[name][1:]
			}
		}
	}
	return slices.Clip(chosen)
}

// shuffled returns a number that orders texts at random, in one order for each seed.
func shuffled(seed uint64, text string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, text))
	return binary.BigEndian.Uint64(sum[:])
}

// writes reports whether the request with a name changes something in the cloud. Logins do not.
func writes(request string) bool {
	return !strings.HasPrefix(request, "GET ") && !strings.HasPrefix(request, "HEAD ") && !logsIn(request)
}

func logsIn(request string) bool { return strings.Contains(request, "/auth/tokens") }
