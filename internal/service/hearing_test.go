package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
)

// wrote is a pass with one write.
func wrote() report.Run {
	return report.Run{Pass: &engine.Pass{Results: []engine.Result{{Step: plan.Step{Action: plan.Create}}}}}
}

// A change that a probe notices while the agent writes, or shortly after that, causes one look when the agent's own writes are no longer reported.
func TestHearingKeepsWhatAProbeNoticed(t *testing.T) {
	for name, notice := range map[string]func(*hearing){
		"while the agent writes": func(h *hearing) {
			h.Started(plan.Step{})
			h.sawMove(nil, time.Now())
			h.sawMove(nil, time.Now())
			h.Ran(wrote())
		},
		"after it": func(h *hearing) {
			h.Started(plan.Step{})
			h.Ran(wrote())
			h.sawMove(nil, time.Now())
			h.sawMove(nil, time.Now())
		},
		"in a run without a pass": func(h *hearing) {
			h.Started(plan.Step{})
			h.sawMove(nil, time.Now())
			h.Ran(report.Run{})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var looks atomic.Int32 // timers count, too
			h := newHearing("", func(engine.Moved) { looks.Add(1) })
			notice(h)
			time.Sleep(echo - 1)
			if synctest.Wait(); looks.Load() != 0 {
				t.Errorf("%s: %d looks while the agent's own writes are reported", name, looks.Load())
			}
			time.Sleep(time.Hour)
			if synctest.Wait(); looks.Load() != 1 {
				t.Errorf("%s: %d looks, want 1", name, looks.Load())
			}
		})
	}
}

// After a look whose pass found nothing new, probes cause looks less and less often. That ends when a look finds that no pass is needed, or when a
// pass writes or has another plan.
func TestHearingOfLooksInVain(t *testing.T) {
	passes := func(pass engine.Pass) func(int32) report.Run {
		return func(int32) report.Run { return report.Run{Pass: &pass} }
	}
	for name, c := range map[string]struct {
		result      engine.Looked
		run         func(look int32) report.Run
		least, most int32 // looks in an hour, with a hint every 5 s
	}{
		"no pass is needed":         {engine.LookedSame, nil, 160, 180},
		"a pass writes":             {engine.LookedChanged, func(int32) report.Run { return wrote() }, 340, 380}, // somebody undoes it every 10 s
		"a commit supersedes it":    {engine.LookedChanged, passes(engine.Pass{Superseded: "commit"}), 160, 180},
		"a pass finds nothing":      {engine.LookedChanged, passes(engine.Pass{}), 12, 20},
		"a list fails":              {engine.LookedFailed, func(int32) report.Run { return report.Run{} }, 12, 20},
		"a pass finds other drift":  {engine.LookedChanged, drifted(1), 160, 180},
		"a pass finds the same one": {engine.LookedChanged, drifted(1000), 12, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			var looks atomic.Int32 // timers count, too
			h := newHearing("", nil)
			h.look = func(engine.Moved) {
				n := looks.Add(1)
				go func() {
					if h.looked(c.result); c.result != engine.LookedSame {
						h.Ran(c.run(n))
					}
				}()
			}
			for range 720 {
				h.sawMove([]string{"network ports"}, time.Now())
				time.Sleep(5 * time.Second)
			}
			if n := looks.Load(); n < c.least || n > c.most {
				t.Errorf("%s: %d looks in an hour, want %d to %d", name, n, c.least, c.most)
			}
			h.close()
		})
	}
}

// drifted returns passes that report drift and leave it. The drift is another one after so many looks.
func drifted(each int32) func(look int32) report.Run {
	return func(look int32) report.Run {
		step := plan.Step{Key: manifest.Key{Kind: "Port", Name: fmt.Sprint(look / each)}, Action: plan.Update}
		return report.Run{Pass: &engine.Pass{Last: plan.Plan{Steps: []plan.Step{step}}}}
	}
}

// Probes ask about the kinds of a pass while it goes on, and not only when it has ended.
func TestHearingOfPlannedKinds(t *testing.T) {
	of := func(kinds ...string) (p plan.Plan) {
		for _, name := range kinds {
			p.Steps = append(p.Steps, plan.Step{Key: manifest.Key{Kind: name}})
		}
		return p
	}
	h := newHearing("", func(engine.Moved) {})
	h.Ran(report.Run{Pass: &engine.Pass{Last: of("Volume", "Image")}})
	h.Planned(of("Volume", "VolumeSnapshot"), preflight.Findings{})
	if got, want := h.has(), map[string]bool{"Volume": true, "Image": true, "VolumeSnapshot": true}; !maps.Equal(got, want) {
		t.Errorf("during the pass: %v, want %v", got, want)
	}
	h.Ran(report.Run{Pass: &engine.Pass{Last: of("VolumeSnapshot")}})
	if got, want := h.has(), map[string]bool{"VolumeSnapshot": true}; !maps.Equal(got, want) {
		t.Errorf("after the pass: %v, want %v", got, want)
	}
}

// After a run that had no pass, the agent no longer writes.
func TestHearingAfterARunWithoutAPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32 // timers count, too
		h := newHearing("", func(engine.Moved) { looks.Add(1) })
		h.of = events.Interest{Project: "p", User: "agent"}
		h.Started(plan.Step{})
		h.Ran(report.Run{})
		time.Sleep(echo)
		h.hear(events.Look{Service: "network", Collection: "port", Project: "p", Who: events.User{ID: "agent"}}, time.Now())
		if looks.Load() != 1 {
			t.Errorf("%d looks, want 1", looks.Load())
		}
	})
}

// While the agent writes, somebody else may use the same user. A message about an object that the agent does not change causes one look after the
// writes, and messages about its own changes cause none.
func TestHearingOfOthersWithTheSameUser(t *testing.T) {
	for id, want := range map[string]int32{"mine": 0, "theirs": 1, "created": 0} {
		synctest.Test(t, func(t *testing.T) {
			var looks atomic.Int32 // timers count, too
			h := newHearing("", func(engine.Moved) { looks.Add(1) })
			h.of = events.Interest{Project: "p", User: "agent", IDs: map[string]bool{"mine": true, "theirs": true}}
			h.Started(plan.Step{Object: plan.Object{Have: &kind.Live{ID: "mine"}}})
			for range 3 {
				h.hear(events.Look{Service: "network", Collection: "port", Project: "p", ID: id, Who: events.User{ID: "agent"}}, time.Now())
			}
			h.Ran(wrote())
			time.Sleep(echo - 1)
			if synctest.Wait(); looks.Load() != 0 {
				t.Errorf("%s: %d looks while the agent's own writes are reported", id, looks.Load())
			}
			time.Sleep(time.Hour)
			if synctest.Wait(); looks.Load() != want {
				t.Errorf("%s: %d looks, want %d", id, looks.Load(), want)
			}
			h.close()
		})
	}
}

// After the end of a stack, nothing looks, and no timer waits.
func TestHearingEndsWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32 // timers count, too
		h := newHearing("", func(engine.Moved) { looks.Add(1) })
		h.of = events.Interest{Project: "p", User: "agent"}
		for range 2 { // the second hints wait
			h.poke()
			h.miss()
			h.hear(events.Look{Service: "network", Collection: "port", Project: "p", Who: events.User{ID: "anna"}}, time.Now())
		}
		h.Ran(wrote())
		h.sawMove(nil, time.Now())
		before := looks.Load()
		h.close()
		h.poke()
		for name, timer := range map[string]*time.Timer{"quick": h.quick.timer, "poked": h.poked.timer, "slow": h.slow.timer, "settling": h.settling} {
			if timer == nil || timer.Stop() {
				t.Errorf("the timer %s: %v", name, timer)
			}
		}
		time.Sleep(time.Hour)
		if synctest.Wait(); looks.Load() != before {
			t.Errorf("%d looks after the end", looks.Load()-before)
		}
	})
}

// Messages that name only the ID of a user are reported with the name that other messages give to it. A message about a rule, an interface or a
// record set is about the object that the stack has.
func TestHearingNamesUsers(t *testing.T) {
	h := newHearing("", func(engine.Moved) {})
	h.of = events.Interest{Project: "p", User: "agent"}
	for _, body := range []string{
		`{"event_type":"volume.update.end","payload":{"tenant_id":"p","volume_id":"v"},"_context_user_id":"u","_context_user_name":null,"_context_project_id":"p"}`,
		`{"event_type":"dns.recordset.delete","payload":{"tenant_id":"p","id":"r","zone_id":"z"},"_context_user":"u","_context_project_id":"p"}`,
		`{"event_type":"port.update.end","payload":{"port":{"id":"x","project_id":"other"}},"_context_user_id":"u","_context_user_name":"anna","_context_project_id":"other"}`,
	} {
		look, ok, err := events.Decode([]byte(body))
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		h.names.learn(look.Who)
		h.hear(look, time.Now())
	}
	for _, id := range []string{"v", "z/r"} {
		if got, ok := h.reported(id); !ok || got.Who != "anna" {
			t.Errorf("%s: %q %t, want anna", id, got.Who, ok)
		}
	}
	if got := h.names.name("u"); got != "anna" {
		t.Errorf("the name is %q", got)
	}
	if got := h.names.name("somebody"); got != "somebody" {
		t.Errorf("the name of somebody unknown is %q", got)
	}
	for i := range 3 * maxNames {
		h.names.learn(events.User{ID: fmt.Sprint(i), Name: "x"})
	}
	if len(h.names.of) > maxNames {
		t.Errorf("%d names are stored", len(h.names.of))
	}
}

// scripted is a probe with prepared answers.
type scripted struct {
	err    error
	asked  []string
	login  string
	refuse int // the number of questions that are not asked
}

func (s *scripted) Login() string { return s.login }

func (s *scripted) Asks(string, map[string]bool) (int, bool) { return 3 - s.refuse, false }

func (s *scripted) Moved(_ context.Context, service string, _ map[string]bool) ([]string, error) {
	s.asked = append(s.asked, service)
	return nil, s.err
}

// Probes that fail, and questions that the user may not ask, are logged once. A question without permission does not delay the others.
func TestProbesThatFailAreLoggedOnce(t *testing.T) {
	var record servicetest.Record
	p := newProbes(slog.New(slog.NewTextHandler(&record, nil)))
	asks, at, one := &scripted{}, projectAt{cloud: "demo"}, newProbed()
	p.all[at] = one
	down := errors.New("down")
	unseen := &cloud.UnseenError{Service: cloud.Compute, Collections: []string{"servers"}, Err: errors.New("refused")}
	for i, tt := range []struct {
		err         error
		warn, infos int // after this probe
		failures    bool
	}{{unseen, 1, 0, false}, {unseen, 1, 0, false}, {down, 2, 0, true}, {down, 2, 0, true}, {nil, 2, 1, false}, {nil, 2, 1, false}, {down, 3, 1, true}} {
		asks.err = tt.err
		p.probe(t.Context(), dueProbe{at, one, cloud.Compute, asks, nil})
		warn, infos := strings.Count(record.String(), "level=WARN"), strings.Count(record.String(), "level=INFO")
		if late := !one.service(cloud.Compute).pace.Due(time.Now().Add(50 * time.Second)); warn != tt.warn || infos != tt.infos || late != tt.failures {
			t.Errorf("probe %d: %d warnings, %d other lines, delayed: %t", i, warn, infos, late)
		}
		if !one.service(cloud.Network).pace.Due(time.Now()) {
			t.Error("another service waits, too")
		}
	}
}

// Many projects take turns. At most maxDue questions are asked at once, whatever the number of projects, and each question gets its turn before
// another one gets a second one.
func TestProbesOfManyProjectsTakeTurns(t *testing.T) {
	const projects = 40
	p := newProbes(slog.New(slog.DiscardHandler))
	logins := map[projectAt]*scripted{}
	for i := range projects {
		at := projectAt{cloud: fmt.Sprint("project ", i)}
		logins[at] = &scripted{}
		p.enter(at, newHearing("", func(engine.Moved) {}), logins[at])
	}
	start, questions, asked, ticks := time.Now(), len(cloud.ProbedServices()), 0, 0
	for ; asked < projects*questions; ticks++ {
		for _, due := range p.due(start.Add(time.Duration(ticks) * probeTick)) {
			p.probe(t.Context(), due)
			if asked++; len(logins[due.at].asked) > questions {
				t.Fatalf("%v is asked about %s again after %d questions", due.at, due.service, asked)
			}
		}
	}
	if want := projects * questions / maxDue; ticks != want {
		t.Errorf("%d questions are asked in %d turns, want %d", asked, ticks, want)
	}
}

// A project with many stacks is asked with one login, and with another one after that stack has left. Nobody looks
// then, because the logins share the answers.
func TestProbesOfAProjectShareALogin(t *testing.T) {
	p, at := newProbes(slog.New(slog.DiscardHandler)), projectAt{cloud: "demo"}
	var looks atomic.Int32 // timers count, too
	first, second := newHearing("", func(engine.Moved) { looks.Add(1) }), newHearing("", func(engine.Moved) { looks.Add(1) })
	logins := map[*hearing]*scripted{first: {}, second: {}}
	p.enter(at, first, logins[first])
	p.enter(at, second, logins[second])
	ask := func(now time.Time) {
		due := p.due(now)
		if len(due) != len(cloud.ProbedServices()) || len(p.due(now)) != 0 {
			t.Fatalf("%d questions are due, and %d again", len(due), len(p.due(now)))
		}
		for _, one := range due {
			p.probe(t.Context(), one)
		}
	}
	ask(time.Now())
	if len(logins[first].asked) != len(cloud.ProbedServices()) || len(logins[second].asked) != 0 || looks.Load() != 0 {
		t.Errorf("asked %v and %v, %d looks", logins[first].asked, logins[second].asked, looks.Load())
	}
	p.leave(first)
	ask(time.Now().Add(time.Minute))
	if len(logins[second].asked) != len(cloud.ProbedServices()) || looks.Load() != 0 {
		t.Errorf("after the first stack has left: asked %v, %d looks", logins[second].asked, looks.Load())
	}
	if p.leave(second); len(p.all) != 0 {
		t.Errorf("%d projects without stacks", len(p.all))
	}
}

// A stack that logs in again and again, because its lists fail, does not make the others look. If the login that asks fails, another one takes over.
func TestProbesOfAStackThatFails(t *testing.T) {
	p, at := newProbes(slog.New(slog.DiscardHandler)), projectAt{cloud: "demo"}
	var looks atomic.Int32
	first, second := newHearing("", func(engine.Moved) { looks.Add(1) }), newHearing("", func(engine.Moved) { looks.Add(1) })
	for range 10 {
		p.enter(at, first, &scripted{err: errors.New("down")})
		p.enter(at, second, &scripted{})
	}
	one := p.all[at]
	if one.by != first || len(one.stacks) != 2 || looks.Load() != 0 {
		t.Errorf("asked by the second: %t, %d stacks, %d looks", one.by == second, len(one.stacks), looks.Load())
	}
	due := p.due(time.Now())[0]
	p.probe(t.Context(), due)
	if one.asker(one.service(due.service)) != second {
		t.Error("no other login takes over after a failure")
	}
	p.enter(projectAt{cloud: "other"}, first, &scripted{})
	if len(one.stacks) != 1 || len(p.all) != 2 {
		t.Errorf("%d stacks of %d projects after a login to another project", len(one.stacks), len(p.all))
	}
}

// If a service does not answer a question of a login, another login that may ask more asks it. Stacks with the same login are not tried. Other services are
// still asked with the first login, and the first login asks again after the other stack has left.
func TestProbesOfALoginWithoutPermission(t *testing.T) {
	p, at := newProbes(slog.New(slog.DiscardHandler)), projectAt{cloud: "demo"}
	var all [4]*hearing
	logins := [4]*scripted{{login: "a", refuse: 1, err: &cloud.UnseenError{Service: cloud.Network, Err: errors.New("refused")}}, {login: "a"}, {login: "b", refuse: 2}, {login: "c"}}
	for i := range all {
		all[i] = newHearing("", func(engine.Moved) {})
		p.enter(at, all[i], logins[i])
	}
	one := p.all[at]
	for _, due := range p.due(time.Now()) {
		if due.service == cloud.Network {
			p.probe(t.Context(), due)
		}
	}
	if network, compute := one.asker(one.service(cloud.Network)), one.asker(one.service(cloud.Compute)); network != all[3] || compute != all[0] {
		t.Errorf("asked with the login of another stack: network %t, compute %t", network != all[3], compute != all[0])
	}
	p.leave(all[3])
	if one.asker(one.service(cloud.Network)) != all[0] {
		t.Error("a stack that has left asks")
	}
	p.leave(all[0])
	if one.stacks[one.asker(one.service(cloud.Network))] == nil {
		t.Error("nobody asks")
	}
	p.probe(t.Context(), dueProbe{at, newProbed(), cloud.Network, logins[0], nil}) // all stacks have left while it was asked
}

// A change makes only the stacks look that have objects of its collections, or do not know their objects yet. They look since the same time.
func TestOnlyStacksWithObjectsOfACollectionLook(t *testing.T) {
	p, one := newProbes(slog.New(slog.DiscardHandler)), newProbed()
	p.lists = func() map[string][]string {
		return map[string][]string{"Port": {"network/ports"}, "Volume": {"block-storage/volumes"}, "Server": {"compute/servers", "network/ports"}}
	}
	looked := map[string]engine.Moved{}
	for name, kinds := range map[string]map[string]bool{"ports": {"Port": true}, "volumes": {"Volume": true}, "servers": {"Server": true, "Volume": true}, "none": {}, "unknown": nil} {
		h := newHearing("", func(moved engine.Moved) { looked[name] = moved })
		h.kinds = kinds
		one.stacks[h] = &scripted{}
	}
	p.pass(one, nil)
	if len(looked) != 0 {
		t.Errorf("%v although nothing has changed", looked)
	}
	p.pass(one, []string{"network/networks", "network/ports"})
	if len(looked) != 3 || len(looked["unknown"].Collections) != 2 || looked["ports"].Since != looked["unknown"].Since {
		t.Errorf("looks: %v", looked)
	}
	for _, name := range []string{"ports", "servers"} {
		if got := looked[name].Collections; len(got) != 1 || got[0] != "network/ports" {
			t.Errorf("%s looks at %v", name, got)
		}
	}
}
