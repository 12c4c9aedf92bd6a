package virtualmachinegroup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// with is the manifest of the group with this number of machines and this strategy.
func with(replicas int, strategy string) string {
	return strings.NewReplacer("replicas: 2", fmt.Sprintf("replicas: %d", replicas), "spec:\n", "spec:\n  strategy: {"+strategy+"}\n").Replace(object)
}

// pure begins a test of decisions that do not depend on the cloud, so it runs only on the simulator.
func pure(t *testing.T) *kindtest.Target {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("nothing of it depends on the cloud")
	}
	return g
}

// more changes the image and adds a volume to the template.
var more = strings.NewReplacer("centos79", "cirros", "    initScript", "    volumes: [{name: data, size: 1}]\n    initScript")

// turns returns the steps of the servers. Each text has the name, the action, and the condition for which the
// step waits.
func turns(p plan.Plan) (list []string) {
	for _, s := range p.Steps {
		if s.Key.Kind == "Server" {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Key.Name, s.Action, condition(s.Turn))))
		}
	}
	return list
}

// condition returns the code of a turn, and the first word of each of its values.
func condition(turn cause.Cause) string {
	words := []string{string(turn.Code)}
	for _, arg := range turn.Args {
		word, _, _ := strings.Cut(fmt.Sprint(arg), " ")
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func wantTurns(t *testing.T, p plan.Plan, want ...string) {
	t.Helper()
	if got := turns(p); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestStrategies(t *testing.T) {
	g := pure(t)
	g.Only(more.Replace(object))
	image := strings.NewReplacer("centos79", "cirros")
	g.MustSync(with(4, ""))
	const one, two = "turn Server/web-0 one", "turn Server/web-0 2"
	wantTurns(t, g.Plan(image.Replace(with(4, ""))), "web-0 replace", "web-1 replace "+one, "web-2 replace "+one, "web-3 replace "+one)
	// If a volume is added together with the interrupting change, the machines are still replaced one at a time.
	wantTurns(t, g.Plan(more.Replace(with(4, ""))), "web-0 replace", "web-1 replace "+one, "web-2 replace "+one, "web-3 replace "+one)
	wantTurns(t, g.Plan(image.Replace(with(4, "maxUnavailable: 2"))), "web-0 replace", "web-1 replace", "web-2 replace "+two, "web-3 replace "+two)
	wantTurns(t, g.Plan(image.Replace(with(4, `maxUnavailable: "50%"`))), "web-0 replace", "web-1 replace", "web-2 replace "+two, "web-3 replace "+two)
	wantTurns(t, g.Plan(image.Replace(with(4, "type: Recreate"))), "web-0 replace", "web-1 replace", "web-2 replace", "web-3 replace")
	wantTurns(t, g.Plan(more.Replace(with(4, "type: OnDelete"))), "web-0 keep", "web-1 keep", "web-2 keep", "web-3 keep")
	wantTurns(t, g.Plan(more.Replace(with(4, "partition: 3"))), "web-0 keep", "web-1 keep", "web-2 keep", "web-3 replace")
}

// If a partition leaves members unchanged, the pass is in sync, and the status of these members and of the
// group is outdated.
func TestAPartitionIsInSync(t *testing.T) {
	g := pure(t)
	g.Only(more.Replace(object))
	g.MustSync(with(3, ""))
	pass := g.MustSync(more.Replace(with(3, "partition: 2")))
	if s := pass.First.Summary(); s.Replace != 1 || s.Create != 1 || s.Update > 1 {
		t.Errorf("the partition changes %s", s)
	}
	states := map[string]status.State{}
	for _, o := range status.Of(pass.Last, g.Engine(g.Client(nil)).Kinds) {
		states[o.Kind+"/"+o.Metadata.Name] = o.Status.State
	}
	for key, want := range map[string]status.State{"Server/web-0": status.StateOutdated, "Server/web-1": status.StateOutdated, "Server/web-2": status.StateInSync,
		"Volume/web-0-data": status.StateOutdated, "Volume/web-2-data": status.StateInSync, "VirtualMachineGroup/web": status.StateOutdated} {
		if states[key] != want {
			t.Errorf("%s is %s, want %s", key, states[key], want)
		}
	}
	g.MustSync(more.Replace(with(3, "")))
}

// A group pauses after the declared number of machines, and is in sync. When pauseAfter becomes higher, it
// continues from there.
func TestAPauseIsInSync(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	g.Only(more.Replace(object))
	g.MustSync(with(4, ""))
	g.MustSync(more.Replace(with(4, "pauseAfter: 1")))
	paused := g.Plan(more.Replace(with(4, "pauseAfter: 1")))
	for _, s := range paused.Steps {
		if s.Key.Kind == "Server" && s.Key.Name != "web-0" && !s.Causes.Has(cause.LeftPaused) {
			t.Errorf("%s: %s", s.Key, s.FullCause())
		}
	}
	wantTurns(t, paused, "web-0 keep", "web-1 keep", "web-2 keep", "web-3 keep")
	const turn = "turn Server/web-1 one"
	wantTurns(t, g.Plan(more.Replace(with(4, "pauseAfter: 3"))), "web-0 keep", "web-1 replace", "web-2 replace "+turn, "web-3 keep")
	g.MustSync(more.Replace(with(4, "")))
	wantTurns(t, g.Plan(more.Replace(with(4, "pauseAfter: 1"))), "web-0 keep", "web-1 keep", "web-2 keep", "web-3 keep")
}

// If an object is removed from the template, it stays while a partition leaves its machine unchanged.
func TestAPartitionKeepsWhatItsMachinesUse(t *testing.T) {
	g := pure(t)
	older := strings.NewReplacer("    initScript", "    volumes: [{name: data, size: 1, onDelete: delete}]\n    initScript")
	g.Only(older.Replace(object))
	g.MustSync(older.Replace(with(2, "")))
	pass := g.MustSync(with(2, "partition: 1"))
	for _, s := range pass.First.Steps {
		if s.Key.Kind == "Volume" && (s.Action == plan.Delete) != (s.Key.Name == "web-1-data") {
			t.Errorf("%s: %s (%s)", s.Key, s.Action, s.FullCause())
		}
	}
	g.MustSync(with(2, ""))
}

func TestProbesThatMakeNoSense(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for probe, want := range map[string]string{
		"type: http, port: 80":                              "",
		"type: https, port: 443, path: '/a?b=c', host: x.y": "",
		"type: tcp, port: 22":                               "",
		"type: http":                                        "spec.probes[0].port",
		"type: udp, port: 53":                               "spec.probes[0].type",
		"type: http, port: 65536":                           "spec.probes[0].port",
		"type: tcp, port: 22, path: /":                      "spec.probes[0].path",
		"type: grpc, port: 22, path: /":                     "spec.probes[0].path",
		"type: http, port: 22, service: x":                  "spec.probes[0].service",
		`type: grpc, port: 22, service: "a b"`:              "spec.probes[0].service",
		"type: tcp, port: 22, host: x":                      "spec.probes[0].host",
		"type: http, port: 80, path: health":                "spec.probes[0].path",
		`type: http, port: 80, path: "/a b"`:                "spec.probes[0].path",
		`type: http, port: 80, path: "/\r\nX: y"`:           "spec.probes[0].path",
		`type: http, port: 80, host: "x\r\nX: y"`:           "spec.probes[0].host",
		"type: http, port: 80, host: user@x":                "spec.probes[0].host",
		"type: http, port: 80, intervalSeconds: 0":          "spec.probes[0].intervalSeconds",
		"type: http, port: 80, timeoutSeconds: 31":          "spec.probes[0].timeoutSeconds",
	} {
		_, err := g.TryResolve(strings.Replace(object, "spec:\n", "spec:\n  probes: [{"+probe+"}]\n", 1))
		if want == "" && err != nil || want != "" && !kindtest.Refuses(err, want) {
			t.Errorf("%s: %v, want %s", probe, err, want)
		}
	}
}

func TestStrategiesThatMakeNoSense(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for strategy, want := range map[string]string{
		"maxUnavailable: some":                     "spec.strategy.maxUnavailable",
		"maxUnavailable: -1":                       "spec.strategy.maxUnavailable",
		`maxUnavailable: "101%"`:                   "spec.strategy.maxUnavailable",
		"maxUnavailable: 0":                        "spec.strategy.maxUnavailable",
		"type: Sometimes":                          "spec.strategy.type",
		"type: OnDelete, partition: 1":             "spec.strategy.partition",
		"minReadySeconds: 3601":                    "spec.strategy.minReadySeconds",
		"type: OnDelete, maxUnavailable: 0,":       "",
		"maxUnavailable: 0, maxSurge: 1":           "",
		`maxSurge: "25%"`:                          "",
		"maxUnavailable: 0, maxSurge: 0":           "spec.strategy.maxUnavailable",
		"maxSurge: x":                              "spec.strategy.maxSurge",
		"maxSurge: 1001":                           "spec.strategy.maxSurge",
		"type: Recreate, maxSurge: 1":              "spec.strategy.maxSurge",
		"canary: {members: 3, durationSeconds: 1}": "spec.strategy.canary.members",
		"type: OnDelete, onFailure: rollback":      "spec.strategy.onFailure",
	} {
		_, err := g.TryResolve(with(2, strategy))
		if want == "" && err != nil || want != "" && !kindtest.Refuses(err, want) {
			t.Errorf("%s: %v, want %s", strategy, err, want)
		}
	}
}
