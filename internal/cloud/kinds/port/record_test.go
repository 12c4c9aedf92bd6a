package port_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// When the port and its mark are written, a record on the port stays, wherever the mark is
// stored.
func TestARecordStays(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	const record member.Record = "stackreeve:etcd"
	first := needs + "---" + object
	for name, g := range map[string]*kindtest.Target{
		"in descriptions": kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).MarksInDescriptions(),
		"in tags later":   kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}),
		"in tags":         kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{TagsOnCreate: true}),
		"in port tags":    kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{TagsOnPorts: true}),
	} {
		t.Run(name, func(t *testing.T) {
			g := g.In(t)
			g.MustSync(first)
			c := g.Client(nil)
			id := portNamed(t, c, "web-port")
			if err := record.Put(t.Context(), c, id); err != nil {
				t.Fatal(err)
			}
			for _, edit := range [][2]string{{"first web server", "another"}, {"tags: [web, blue]", "tags: [green]"}, {"    tags: [web, blue]\n", ""}} {
				after := strings.Replace(first, edit[0], edit[1], 1)
				g.MustSync(after)
				tags, err := member.RecordsOfPorts(t.Context(), c)
				maps.DeleteFunc(tags, func(_ string, of []string) bool { return !slices.Contains(of, string(record)) })
				if got := slices.Collect(maps.Keys(tags)); err != nil || !slices.Equal(got, []string{id}) {
					t.Errorf("%q: the record is on %q, %v; want %s", edit[1], got, err, id)
				}
				if p := g.Plan(after); !p.InSync() {
					t.Errorf("%q: the plan is %v", edit[1], p.Steps)
				}
			}
		})
	}
}

func portNamed(t *testing.T, c *cloud.Client, name string) (id string) {
	t.Helper()
	var found struct{ Ports []struct{ ID string } }
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Path: "ports?name=" + name, Into: &found}); err != nil || len(found.Ports) != 1 {
		t.Fatal(found, err)
	}
	return found.Ports[0].ID
}
