package campaign

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// expected is what a story is without faults.
type expected struct {
	Rehearsal
	repo    *repository
	story   story
	digests [][]string // of the cloud after each phase
	names   []map[string]int
	counts  []int // requests until the phase was in sync
}

// result is what one case showed.
type result struct {
	struck   int // how often the fault happened
	requests int // in the phase of the fault, until it was in sync
	took     time.Duration
	problems []string
}

// rehearse runs a story without faults.
func rehearse(t *testing.T, s story) *expected {
	t.Helper()
	e := &expected{Rehearsal: Rehearsal{Story: s.name}, repo: commitStory(t, s), story: s}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, e.repo, 1)
		w.addForeign()
		w.push(0)
		w.layer.Restart()
		w.start()
		for phase := range s.revisions {
			w.push(phase)
			if _, ok := w.settle(phase); !ok {
				t.Fatalf("%s: revision %d is not in sync without faults:\n%s", s.name, phase, w.log.String())
			}
			n, _, _ := w.layer.Counts()
			e.Requests, e.counts = append(e.Requests, w.layer.Names()), append(e.counts, n)
			all := w.outside.list()
			e.digests, e.names = append(e.digests, digest(all)), append(e.names, namesOf(all))
			w.layer.Restart()
		}
		w.stop()
		w.checkSecrets(func(format string, args ...any) { t.Errorf(format, args...) })
	})
	return e
}

// run runs a story with the fault of a case.
func (e *expected) run(t *testing.T, c Case) (r result) {
	t.Helper()
	problem := func(format string, args ...any) { r.problems = append(r.problems, fmt.Sprintf(format, args...)) }
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, e.repo, c.Seed)
		w.addForeign()
		for phase := range e.story.revisions {
			took, ok := w.apply(phase, c)
			if !ok && phase == c.Phase && w.removeSurplus(e.names[phase]) {
				var more time.Duration
				more, ok = w.settle(phase)
				took += more
			}
			if !ok {
				problem("revision %d is not in sync after %s\n%s", phase, took, w.lastErrors())
			}
			if phase == c.Phase {
				r.took = took
				r.requests, _, _ = w.layer.Counts()
				w.quiet(phase, problem)
				_, _, r.struck = w.layer.Counts()
				if OutageNamed(c.Fault) {
					r.struck = 1
				}
			}
			if lines := differences(digest(w.outside.list()), e.digests[phase]); len(lines) > 0 {
				problem("the cloud is not what revision %d says:\n  %s", phase, strings.Join(lines, "\n  "))
			}
			if !ok {
				break
			}
		}
		w.stop()
		w.checkForeign(problem)
		w.checkSecrets(problem)
		bound := 4*e.counts[c.Phase] + 400 + 25*int(r.took.Minutes())
		if c.Fault == "two-agents" {
			bound += 5 * 12 * int(r.took.Minutes()) // the second agent asks five services every 5 s, too
		}
		if r.requests > bound && c.Fault != "restarts" {
			problem("%d requests within %s until the stack was in sync, and %d without the fault", r.requests, r.took, e.counts[c.Phase])
		}
	})
	return r
}

// apply pushes a revision, with the fault of the case if it belongs to the revision, and waits until the revision is in sync. It does not wait
// long if an object may exist twice: then a person has to decide.
func (w *world) apply(phase int, c Case) (took time.Duration, ok bool) {
	w.t.Helper()
	w.layer.Restart()
	end := func() {}
	mine := phase == c.Phase
	switch {
	case mine && OutageNamed(c.Fault):
		if phase == 0 && c.Fault != "git-down" { // an agent does not start without its repository
			w.push(phase)
			w.start()
		}
		end = w.begin(c.Fault)
	case mine:
		w.must(w.layer.Arm(c))
	}
	if !mine || c.Fault != "git-down" {
		w.push(phase)
	}
	if w.now == nil {
		w.start()
	}
	began := time.Now()
	if mine && OutageNamed(c.Fault) {
		w.endure(c.Fault)
		end()
		w.push(phase)
	}
	most := maxSettle
	if mine && (c.Fault == "twice" || c.Fault == "two-agents") {
		most = shortSettle
	}
	_, ok = w.settleWithin(phase, most)
	return time.Since(began), ok
}

// removeSurplus does what a person does with objects that exist twice: it deletes one of them that nothing uses, and prefers one that has
// failed. It reports whether it deleted any.
func (w *world) removeSurplus(want map[string]int) bool {
	w.t.Helper()
	project, removed := "", false
	for _, c := range collections {
		have := map[string][]object{}
		for _, one := range w.outside.list()[c.field] {
			name := nameIn(c.field, one)
			have[name] = append(have[name], one)
		}
		for name, all := range have {
			if all[0].text("device_owner") != "" {
				continue // its owner creates and deletes it
			}
			if want[name] == 0 && !isUnused(name, want) {
				continue
			}
			slices.SortStableFunc(all, func(a, b object) int { return cmp.Compare(b.rank(), a.rank()) })
			surplus := len(all) - want[name]
			for _, one := range all {
				if surplus <= 0 {
					break
				}
				if project == "" {
					project = w.outside.login()
				}
				at := strings.TrimSuffix(strings.Replace(c.path, "*", project, 1), "/detail") + "/" + path.Base(cmp.Or(one.text("id"), one.text("secret_ref")))
				if c.field == "loadbalancers" {
					at += "?cascade=true"
				}
				if code, _, _ := w.outside.try("DELETE", at, ""); code >= http.StatusBadRequest && code != http.StatusNotFound {
					continue // something uses it, so the other one is the copy
				}
				time.Sleep(10 * time.Second) // until it is gone, with its children
				removed = true
				surplus-- // also if it has gone with its parent
			}
		}
	}
	return removed
}

// isUnused reports whether objects of a name belong to nothing, while objects of the same name that belong to something are wanted: a port that is
// attached to no server.
func isUnused(name string, want map[string]int) bool {
	for other := range want {
		if strings.HasSuffix(name, " ") && other != name && strings.HasPrefix(other, name) {
			return true
		}
	}
	return false
}

// rank says which of two equal objects a person deletes: a higher one.
func (o object) rank() int {
	if o.text("status") == "ERROR" || o.text("provisioning_status") == "ERROR" {
		return 1
	}
	return 0
}

// nameIn returns the name of an object, with that of its collection. Objects without names are told apart by nothing.
func nameIn(field string, o object) string {
	return field + " " + fingerprint.ReplaceAllString(id.ReplaceAllString(o.text("name"), "*"), ":s-*") + " " + o.text("device_owner") + o.text("direction")
}

// namesOf counts the objects of each name.
func namesOf(all map[string][]object) map[string]int {
	count := map[string]int{}
	for field, items := range all {
		for _, one := range items {
			count[nameIn(field, one)]++
		}
	}
	return count
}

// lastErrors returns the newest lines of the log that say why a stack is not in sync.
func (w *world) lastErrors() string {
	var lines []string
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-6):], "")
}

// quiet waits until late requests are carried out and two drift checks have seen them. After that, the agent must write nothing.
func (w *world) quiet(phase int, problem func(string, ...any)) {
	w.layer.Wait()
	time.Sleep(11 * time.Minute)
	w.restartIfKilled() // the fault may have struck after the stack was in sync
	if _, ok := w.settle(phase); !ok {
		problem("revision %d is no longer in sync", phase)
	}
	_, before, _ := w.layer.Counts()
	time.Sleep(6 * time.Minute)
	if _, after, _ := w.layer.Counts(); after != before {
		problem("%d writes although the stack was in sync", after-before)
	}
}

// foreignPaths are the objects of other people, by path and field.
var foreignObjects = []struct{ path, body, field string }{
	{"/network/v2.0/networks", `{"network": {"name": "theirs", "description": "of other people"}}`, "network"},
	{"/network/v2.0/security-groups", `{"security_group": {"name": "theirs"}}`, "security_group"},
	{"/volume/v3/*/volumes", `{"volume": {"name": "theirs", "size": 1}}`, "volume"},
	{"/compute/v2.1/os-server-groups", `{"server_group": {"name": "theirs", "policy": "affinity"}}`, "server_group"},
}

// addForeign creates objects of other people in the project.
func (w *world) addForeign() {
	w.t.Helper()
	project := w.outside.login()
	for _, o := range foreignObjects {
		var made map[string]object
		path := strings.Replace(o.path, "*", project, 1)
		w.outside.call("POST", path, o.body, &made)
		w.foreign = append(w.foreign, foreign{path: path + "/" + made[o.field].text("id"), field: o.field})
	}
	time.Sleep(time.Minute) // until they are no longer in progress
	w.outside.login()
	for i, f := range w.foreign {
		var now map[string]object
		w.outside.call("GET", f.path, "", &now)
		w.foreign[i].before = now[f.field]
	}
}

// checkForeign checks that the objects of other people are as before.
func (w *world) checkForeign(problem func(string, ...any)) {
	w.t.Helper()
	w.outside.login()
	for _, f := range w.foreign {
		var now map[string]object
		if code, _, text := w.outside.try("GET", f.path, ""); code >= 300 {
			problem("an object of other people is gone: %s: %d %s", f.path, code, text)
			continue
		}
		w.outside.call("GET", f.path, "", &now)
		if !reflect.DeepEqual(now[f.field], f.before) {
			problem("an object of other people was changed: %v, and was %v", now[f.field], f.before)
		}
	}
}

// checkSecrets checks that no output of the agents and no file of theirs has the secret or a token.
func (w *world) checkSecrets(problem func(string, ...any)) {
	w.t.Helper()
	outputs := map[string]string{"log": w.log.String()}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/repo/") {
			return err
		}
		text, err := os.ReadFile(path)
		outputs[d.Name()] = string(text)
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
	words := append(w.layer.Tokens(), secret, base64.StdEncoding.EncodeToString([]byte(secret)))
	for where, text := range outputs {
		for _, word := range words {
			if i := strings.Index(text, word); i >= 0 {
				problem("a secret is in %s: …%s…", where, text[max(0, i-200):min(len(text), i+100)])
			}
		}
	}
}
