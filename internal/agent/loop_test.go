package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// outside simulates the surroundings of a stack: a branch, its manifests and a cloud. The manifests are bad if the name of the commit
// begins with "bad".
type outside struct {
	mu      sync.Mutex // the test holds it, except in pause.
	commit  string     // the newest commit; "" while the server is down
	last    string
	tree    string // tree of every commit; "" when unknown
	fetches int

	opens   int
	openErr error
	region  string

	passes []engine.Revision
	at     []time.Time
	pass   func(ctx context.Context, n int) engine.Pass
	looks  []engine.Moved
	look   engine.Looked // the result of looks; "" if the cloud cannot look
	with   func(*Loop)   // changes the settings of the loop; may be nil

	runs []report.Run
}

func (o *outside) stack(t *testing.T, poll, check string) *Loop {
	t.Helper()
	s := New(Config{Name: "s", Open: o.open})
	s.Fetch, s.Read, s.Report = o.fetch, o.read, func(r report.Run) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.runs = append(o.runs, r)
	}
	var err error
	if s.Poll, err = schedule.Parse(poll); err != nil {
		t.Fatal(err)
	}
	if s.DriftCheck, err = schedule.Parse(check); err != nil {
		t.Fatal(err)
	}
	return s
}

func (o *outside) fetch(context.Context) (source.Revision, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fetches++
	if o.commit == "" {
		return source.Revision{}, false, errors.New("the server is away")
	}
	changed := o.commit != o.last
	o.last = o.commit
	return source.Revision{Commit: o.commit, Tree: o.tree, Files: fstest.MapFS{o.commit: {}}}, changed, nil
}

func (o *outside) read(_ context.Context, files fs.FS, region string) (resolve.Reading, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return resolve.Reading{}, err
	}
	name := entries[0].Name()
	if strings.HasPrefix(name, "bad") || region == "nowhere" {
		return resolve.Reading{}, manifest.Problems{{What: "is bad"}}
	}
	return resolve.Reading{Want: []kind.Desired{{Key: manifest.Key{Kind: "Thing", Name: name}}}}, nil
}

func (o *outside) open(context.Context) (Cloud, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opens++
	if o.openErr != nil {
		return Cloud{}, o.openErr
	}
	var look func(context.Context, engine.Moved) engine.Looked
	if o.look != "" {
		look = func(_ context.Context, moved engine.Moved) engine.Looked {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.looks = append(o.looks, moved)
			return o.look
		}
	}
	return Cloud{Region: o.region, Look: look, Sync: func(ctx context.Context, rev engine.Revision) engine.Pass {
		o.mu.Lock()
		o.passes, o.at = append(o.passes, rev), append(o.at, time.Now())
		n, pass := len(o.passes), o.pass
		o.mu.Unlock()
		if pass == nil {
			return engine.Pass{}
		}
		return pass(ctx, n)
	}}, nil
}

func (o *outside) commits() []string {
	var list []string
	for _, p := range o.passes {
		list = append(list, p.Commit+"/"+p.Want[0].Key.Name)
	}
	return list
}

func failed() engine.Pass {
	return engine.Pass{Failures: []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "no")}}}}
}

func TestASourceThatIsAwayKeepsTheLastRevision(t *testing.T) {
	o := &outside{}
	s := o.stack(t, "@every 1m", "@every 5m")
	if run := s.Pass(t.Context()); run.Err == nil || run.Outcome() != plan.Broken || o.opens != 0 {
		t.Errorf("without any revision: %+v after %d opens; want an error and no cloud", run, o.opens)
	}
	o.commit = "one"
	s.Pass(t.Context())
	o.commit = ""
	run := s.Pass(t.Context())
	if run.FetchErr == nil || run.Pass == nil || run.Revision.Commit != "one" || run.Outcome() != plan.Broken {
		t.Errorf("got %+v; want a pass of the last revision that says so", run)
	}
	if got, want := o.commits(), []string{"one/one", "one/one"}; !slices.Equal(got, want) {
		t.Errorf("passes %v, want %v", got, want)
	}
}

func TestARefusedRevisionKeepsTheLastGoodOne(t *testing.T) {
	o := &outside{commit: "bad1"}
	s := o.stack(t, "@every 1m", "@every 5m")
	if run := s.Pass(t.Context()); run.Refused == nil || run.Pass != nil || run.Outcome() != plan.Invalid || o.opens != 0 {
		t.Errorf("got %+v after %d opens; want a refusal and nothing else", run, o.opens)
	}
	o.commit = "one"
	s.Pass(t.Context())
	o.commit = "bad2"
	run := s.Pass(t.Context())
	if run.Refused == nil || run.Refused.Commit != "bad2" || run.Revision.Commit != "one" || run.Pass == nil {
		t.Errorf("got %+v; want bad2 refused and one kept", run)
	}
	if got, want := o.commits(), []string{"one/one", "one/one"}; !slices.Equal(got, want) {
		t.Errorf("passes %v, want %v", got, want)
	}
}

func TestManifestsAreReadAgainOnceTheRegionIsKnown(t *testing.T) {
	o := &outside{commit: "one", region: "nowhere"}
	run := o.stack(t, "@every 1m", "@every 5m").Pass(t.Context())
	if run.Refused == nil || len(o.passes) != 0 {
		t.Errorf("got %+v and %d passes; want a refusal", run, len(o.passes))
	}
}

func TestACommitThatWasInSyncExplainsNothingMore(t *testing.T) {
	o := &outside{commit: "one"}
	o.pass = func(_ context.Context, n int) engine.Pass {
		if n == 1 {
			return failed()
		}
		return engine.Pass{}
	}
	s := o.stack(t, "@every 1m", "@every 5m")
	for range 3 {
		s.Pass(t.Context())
	}
	o.commit = "two"
	s.Pass(t.Context())
	var synced []bool
	for _, p := range o.passes {
		synced = append(synced, p.Synced)
	}
	if want := []bool{false, false, true, false}; !slices.Equal(synced, want) {
		t.Errorf("synced %v, want %v", synced, want)
	}
}

// The changes of a commit are not drift from an earlier commit, no matter how the commit's pass ended.
func TestACommitThatAnotherHasChangedSinceWasNotInSyncLast(t *testing.T) {
	for name, c := range map[string]struct {
		pass engine.Pass
		was  bool
	}{
		"it failed":       {engine.Pass{Results: []engine.Result{{Err: errors.New("no")}}, Failures: failed().Failures}, false},
		"it was cut off":  {engine.Pass{Results: []engine.Result{{}}, Interrupted: true}, false},
		"it did nothing":  {failed(), true},
		"it is held back": {engine.Pass{First: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}, Last: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}}, true},
	} {
		o := &outside{commit: "one"}
		o.pass = func(_ context.Context, n int) engine.Pass {
			if o.passes[n-1].Commit == "two" {
				return c.pass
			}
			return engine.Pass{}
		}
		s := o.stack(t, "@every 1m", "@every 5m")
		for _, commit := range []string{"one", "two", "one", "one"} {
			o.commit = commit
			s.Pass(t.Context())
		}
		if got := o.passes; got[2].Synced != c.was || !got[3].Synced {
			t.Errorf("%s: back at the first commit it was in sync: %t, then %t; want %t, then true", name, got[2].Synced, got[3].Synced, c.was)
		}
	}
}

func TestTheCloudIsOpenedAgainWhenItCannotBeSeen(t *testing.T) {
	o := &outside{commit: "one", openErr: errors.New("401")}
	s := o.stack(t, "@every 1m", "@every 5m")
	if run := s.Pass(t.Context()); run.Err == nil || run.Revision.Commit != "one" {
		t.Errorf("got %+v, want the error of opening", run)
	}
	o.openErr = nil
	o.pass = func(_ context.Context, n int) engine.Pass {
		if n == 2 {
			return engine.Pass{Last: plan.Plan{Lists: plan.Lists{Unlisted: []string{"401"}}}}
		}
		return engine.Pass{}
	}
	for range 4 {
		s.Pass(t.Context())
	}
	if o.opens != 3 { // refused, opened, opened again after the second pass
		t.Errorf("opened %d times, want 3", o.opens)
	}
}

func TestAHeldCommitGoesOnWhenPeopleApprove(t *testing.T) {
	o := &outside{commit: "one"}
	held := engine.Pass{First: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}, Last: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}}}
	o.pass = func(_ context.Context, n int) engine.Pass {
		if len(o.passes[n-1].Approved) > 0 {
			return engine.Pass{}
		}
		return held
	}
	s := o.stack(t, "@every 1m", "@every 5m")
	var approved []plan.Approval
	s.Approvals = func(_ context.Context, commit string) []plan.Approval {
		if commit != "one" {
			t.Errorf("asked about %q, want one", commit)
		}
		return approved
	}
	if run := s.Pass(t.Context()); run.Pass.First.Held == nil || len(o.passes) != 1 {
		t.Errorf("%+v after %d passes; want it held, and one pass", run.Pass, len(o.passes))
	}
	approved = []plan.Approval{{Hash: "another"}}
	if run := s.Pass(t.Context()); run.Pass.First.Held == nil || len(o.passes) != 2 {
		t.Errorf("%+v after %d passes; want it held, and no second pass", run.Pass, len(o.passes))
	}
	approved = []plan.Approval{{Hash: held.First.Hash()}}
	if run := s.Pass(t.Context()); run.Outcome() != plan.InSync || len(o.passes) != 4 {
		t.Errorf("%+v after %d passes; want it done in a second pass", run.Pass, len(o.passes))
	}
}

func TestWhatWasInSyncIsAskedElsewhereOnceAfterAStart(t *testing.T) {
	o := &outside{commit: "one"}
	s := o.stack(t, "@every 1m", "@every 5m")
	var asked []string
	s.Applied = func(_ context.Context, commit string) (bool, error) {
		asked = append(asked, commit)
		return commit == "one", nil
	}
	o.pass = func(context.Context, int) engine.Pass { return failed() }
	s.Pass(t.Context())
	s.Pass(t.Context())
	o.commit = "two"
	s.Pass(t.Context())
	var synced []bool
	for _, p := range o.passes {
		synced = append(synced, p.Synced)
	}
	if want := []bool{true, true, false}; !slices.Equal(synced, want) || !slices.Equal(asked, []string{"one"}) {
		t.Errorf("synced %v after asking about %v, want %v after asking about one", synced, asked, want)
	}
}

// While the forge does not answer, it is unknown whether a commit was in sync. If people decide about drift, the pass waits for the answer.
func TestWhatWasInSyncIsAskedElsewhereUntilThereIsAnAnswer(t *testing.T) {
	manual := func(fs.FS) ([]plan.Policy, error) { return []plan.Policy{guard.Manual("it says so")}, nil }
	for name, c := range map[string]struct {
		set   func(s *Loop)
		waits bool
	}{
		"drift is corrected":        {func(*Loop) {}, false},
		"drift is reported":         {func(s *Loop) { s.LeavesDrift = true }, true},
		"it is done by hand":        {func(s *Loop) { s.Weaker = manual }, true},
		"an object's is reported":   {func(s *Loop) { s.Read = reporting(s.Read) }, true},
		"nobody knows, and reports": {func(s *Loop) { s.LeavesDrift, s.Applied = true, nil }, false},
	} {
		o := &outside{commit: "one"}
		o.pass = func(context.Context, int) engine.Pass { return failed() }
		s := o.stack(t, "@every 1m", "@every 5m")
		var down error
		asked := 0
		s.Applied = func(context.Context, string) (bool, error) { asked++; return down == nil, down }
		c.set(s)
		for range 2 {
			down = errors.New("the forge is away")
			if run := s.Pass(t.Context()); (run.Err != nil) != c.waits || run.Revision.Commit != "one" || c.waits && len(o.passes) > 0 {
				t.Errorf("%s: %v and %d passes while the forge is away; waits: %t", name, run.Err, len(o.passes), c.waits)
			}
		}
		down = nil
		for range 2 {
			if run := s.Pass(t.Context()); run.Err != nil || o.passes[len(o.passes)-1].Synced != (s.Applied != nil) {
				t.Errorf("%s: %v, %+v when it answers", name, run.Err, o.passes[len(o.passes)-1])
			}
		}
		if s.Applied != nil && asked != 3 {
			t.Errorf("%s: asked %d times, want 3", name, asked)
		}
	}
}

// reporting sets the option of each object so that drift is only reported.
func reporting(read func(context.Context, fs.FS, string) (resolve.Reading, error)) func(context.Context, fs.FS, string) (resolve.Reading, error) {
	return func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error) {
		reading, err := read(ctx, files, region)
		for i := range reading.Want {
			reading.Want[i].Options.Report = new(true)
		}
		return reading, err
	}
}

// Once another commit has changed something, the forge's status about a commit is outdated, because the newer report may not have arrived
// yet.
func TestWhatWasInSyncIsNotAskedAboutAfterAnotherCommit(t *testing.T) {
	o := &outside{commit: "two"}
	o.pass = func(context.Context, int) engine.Pass {
		return engine.Pass{Results: []engine.Result{{}}, Failures: failed().Failures}
	}
	s := o.stack(t, "@every 1m", "@every 5m")
	down := errors.New("the forge is away")
	s.Applied = func(context.Context, string) (bool, error) { return true, down }
	s.Pass(t.Context())
	o.commit, down = "one", nil
	if s.Pass(t.Context()); o.passes[1].Synced {
		t.Error("a commit was in sync that another one has changed since")
	}
}

// serve runs the stack in a synctest bubble until the script is done.
func serve(t *testing.T, o *outside, poll, check string, script func(s *Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := o.stack(t, poll, check)
		if o.with != nil {
			o.with(s)
		}
		done := make(chan struct{})
		go func() { Serve(ctx, []*Loop{s}); close(done) }()
		o.mu.Lock()
		o.pause(0)
		script(s)
		o.mu.Unlock()
		cancel()
		<-done
	})
}

// pause lets time pass, and waits until all effects of that are over.
func (o *outside) pause(d time.Duration) {
	o.mu.Unlock()
	time.Sleep(d)
	synctest.Wait()
	o.mu.Lock()
}

func TestPollsLookForCommitsAndChecksAtTheCloud(t *testing.T) {
	o := &outside{commit: "one"}
	serve(t, o, "@every 1m", "@every 10m", func(s *Loop) {
		o.pause(9 * time.Minute)
		if len(o.passes) != 1 || o.fetches < 8 {
			t.Errorf("%d passes and %d fetches in 9 minutes without a commit; want 1 and about 9", len(o.passes), o.fetches)
		}
		o.pause(3 * time.Minute)
		if len(o.passes) != 2 {
			t.Errorf("%d passes after the check, want 2", len(o.passes))
		}
		o.commit = "two"
		o.pause(70 * time.Second)
		if got := o.commits(); got[len(got)-1] != "two/two" || len(got) != 3 {
			t.Errorf("passes %v, want two's last", got)
		}
		o.commit = "three"
		s.Wake()
		o.pause(0)
		if got := o.commits(); got[len(got)-1] != "three/three" {
			t.Errorf("passes %v, want three's at once", got)
		}
		n := len(o.passes)
		s.Check()
		o.pause(0)
		if len(o.passes) != n+1 {
			t.Errorf("%d passes after being asked to look at the cloud, want %d", len(o.passes), n+1)
		}
	})
}

// If a pass leaves work to the next one, that pass does not wait for the next check of the cloud.
func TestWhatAPassLeavesIsNotPutOff(t *testing.T) {
	o := &outside{commit: "one", pass: func(_ context.Context, n int) engine.Pass { return engine.Pass{LeavesUnforeseen: n == 1} }}
	serve(t, o, "@every 24h", "@every 1h", func(*Loop) {
		o.pause(time.Minute)
		if len(o.passes) != 2 {
			t.Fatalf("%d passes in a minute, want 2", len(o.passes))
		}
		if after := o.at[1].Sub(o.at[0]); after < firstRest/2 || after > firstRest {
			t.Errorf("the second one came after %s", after)
		}
	})
}

func TestFailedPassesAreTriedAgainLessAndLessOften(t *testing.T) {
	o := &outside{commit: "one", pass: func(context.Context, int) engine.Pass { return failed() }}
	serve(t, o, "@every 24h", "@every 1m", func(s *Loop) {
		o.pause(time.Hour)
		var rests []time.Duration
		for i := 1; i < len(o.at); i++ {
			rests = append(rests, o.at[i].Sub(o.at[i-1]))
		}
		for i, r := range rests {
			most := min(firstRest<<i, longRest)
			if r < most/2 || r > most {
				t.Errorf("rest %d was %s, want between %s and %s", i, r, most/2, most)
			}
		}
		if len(rests) < 12 {
			t.Errorf("only %d retries in an hour: %v", len(rests), rests)
		}
		n := len(o.passes)
		o.pass, o.commit = nil, "two"
		s.Wake()
		o.pause(0)
		if len(o.passes) != n+1 {
			t.Errorf("a new commit waited for the rest to end")
		}
		o.pause(80 * time.Second)
		if later := len(o.passes) - n - 1; later < 1 || later > 2 {
			t.Errorf("%d passes in the 80 seconds after success, want those of the drift check", later)
		}
	})
}

func TestStoppingLetsThePassEnd(t *testing.T) {
	o := &outside{commit: "one"}
	ended := false
	o.pass = func(ctx context.Context, _ int) engine.Pass {
		<-ctx.Done()
		time.Sleep(20 * time.Second)
		ended = true
		return engine.Pass{Interrupted: true}
	}
	serve(t, o, "@every 1m", "@every 5m", func(*Loop) {})
	if !ended || len(o.passes) != 1 || len(o.runs) != 1 || !o.runs[0].Pass.Interrupted {
		t.Errorf("ended %v, %d passes, runs %+v; want the one pass to end and be reported", ended, len(o.passes), o.runs)
	}
}

func TestOneBrokenStackStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, fine := &outside{}, &outside{commit: "one"}
		stuck := &outside{commit: "one", pass: func(ctx context.Context, _ int) engine.Pass { <-ctx.Done(); return failed() }}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		stacks := []*Loop{broken.stack(t, "@every 1m", "@every 5m"), stuck.stack(t, "@every 1m", "@every 5m"), fine.stack(t, "@every 1m", "@every 5m")}
		go func() { Serve(ctx, stacks); close(done) }()
		fine.mu.Lock()
		defer fine.mu.Unlock()
		fine.pause(11 * time.Minute)
		if len(fine.passes) != 3 {
			t.Errorf("%d passes of the stack that is fine, want 3", len(fine.passes))
		}
		cancel()
		<-done
	})
}

func TestASourceThatComesBackIsNews(t *testing.T) {
	o := &outside{commit: "one"}
	serve(t, o, "@every 1m", "@every 24h", func(*Loop) {
		o.commit = ""
		o.pause(3 * time.Minute)
		quiet := len(o.runs)
		o.commit = "one"
		o.pause(3 * time.Minute)
		if quiet < 3 || len(o.runs) != quiet+1 || o.runs[quiet].FetchErr != nil || o.runs[quiet].Pass == nil {
			t.Errorf("%d reports while away, %d in all; want one when it is back, of a pass", quiet, len(o.runs))
		}
	})
}

// If a source answers again, the state of the cloud is still shown, and so is a commit that was refused before.
func TestASourceThatComesBackHidesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		commit string
		away   bool // the cloud is down
		want   plan.Outcome
	}{
		"a refused commit":     {"bad", false, plan.Invalid},
		"a cloud that is away": {"one", true, plan.Broken},
	} {
		o := &outside{commit: "one"}
		o.pass = func(context.Context, int) engine.Pass {
			return engine.Pass{Last: plan.Plan{Lists: plan.Lists{Unlisted: []string{"networks: no answer"}}}}
		}
		serve(t, o, "@every 1m", "@every 24h", func(s *Loop) {
			o.commit = c.commit
			o.pause(2 * time.Minute)
			if c.away {
				o.openErr = errors.New("nobody logs in")
			}
			had := len(o.runs)
			o.commit = ""
			o.pause(90 * time.Second)
			s.Check()
			o.pause(90 * time.Second)
			for _, run := range o.runs[had:] {
				if run.Outcome() != c.want {
					t.Errorf("%s: the source is away, and the stack is %s", name, run.Outcome())
				}
			}
			had = len(o.runs)
			o.commit = c.commit
			o.pause(2 * time.Minute)
			for _, run := range o.runs[had:] {
				if run.FetchErr == nil && run.Outcome() != c.want {
					t.Errorf("%s: the source is back, and the stack is %s", name, run.Outcome())
				}
			}
			if len(o.runs) == had {
				t.Errorf("%s: nothing is said", name)
			}
		})
	}
}

// pastOf returns the history of a branch with one earlier commit. If no forge remembers commits and people decide about drift, the first
// pass gets the objects that the earlier commit wanted. Later passes get the same.
func pastOf(commit string) func(context.Context, string, int, func(source.Revision) bool) error {
	return func(_ context.Context, _ string, _ int, visit func(source.Revision) bool) error {
		visit(source.Revision{Commit: commit, Tree: "other", Files: fstest.MapFS{commit: {}}})
		return nil
	}
}

func TestTheCommitBeforeIsRememberedWhereNothingElseIs(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(s *Loop)
		told bool
	}{
		"nothing remembers": {func(s *Loop) { s.LeavesDrift = true }, true},
		"a forge does": {func(s *Loop) {
			s.LeavesDrift, s.Applied = true, func(context.Context, string) (bool, error) { return false, nil }
		}, false},
		"all drift is corrected": {func(*Loop) {}, false},
	} {
		o := &outside{commit: "one"}
		s := o.stack(t, "@every 1m", "@every 5m")
		s.History = pastOf("zero")
		c.set(s)
		for range 2 {
			if run := s.Pass(t.Context()); run.Err != nil {
				t.Fatal(name, run.Err)
			}
		}
		for i, p := range o.passes {
			if told := p.PreviousSums != nil; told != c.told {
				t.Errorf("%s, pass %d: told %t", name, i, told)
			}
		}
	}
}
