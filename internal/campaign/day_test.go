package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// growth is how much the heap may grow between hour 2 and hour 24, and its part that does not depend on the size.
const (
	growth      = 1.10
	growthBytes = 1 << 20
)

// An agent runs for 24 hours of a fake clock. At random times somebody pushes a commit or changes an object in the cloud, and at random times a
// fault happens to a request. In the end the cloud is what the newest commit says, and the agent needs no more memory than after two hours.
func TestDay(t *testing.T) {
	testcost.NotUnderRace(t) // some hundred passes run one after the other, and the detector's own memory would be counted
	testcost.Long(t)
	s := stories()[0]
	e := rehearse(t, s)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, e.repo, *seed)
		d := &day{world: w, random: rand.New(rand.NewPCG(*seed, 24)), done: map[string]int{}}
		w.wipe = true
		w.addForeign()
		w.push(0)
		w.start()
		var early uint64
		for hour := 1; hour <= 24; hour++ {
			d.hour()
			w.forget(t)
			if hour == 2 {
				early = heap()
			}
		}
		w.layer.Restart()
		if _, ok := w.settle(d.phase); !ok {
			t.Errorf("revision %d is not in sync at the end of the day\n%s", d.phase, w.lastErrors())
		}
		w.quiet(d.phase, func(format string, args ...any) { t.Errorf(format, args...) })
		if lines := differences(digest(w.outside.list()), e.digests[d.phase]); len(lines) > 0 {
			t.Errorf("the cloud is not what revision %d says:\n  %s", d.phase, strings.Join(lines, "\n  "))
		}
		w.checkForeign(func(format string, args ...any) { t.Errorf(format, args...) })
		w.forget(t)
		late := heap()
		t.Logf("%s", strings.Join(d.told, ", "))
		t.Logf("%v; heap after 2 h: %.2f MiB, after 24 h: %.2f MiB", d.done, mib(early), mib(late))
		if float64(late) > growth*float64(early)+growthBytes {
			t.Errorf("the heap has grown from %.2f MiB after 2 h to %.2f MiB", mib(early), mib(late))
		}
		w.stop()
	})
}

func mib(n uint64) float64 { return float64(n) / (1 << 20) }

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one only marks what finalizers keep
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// forget checks the log and drops it, as well as the lists of requests, because they are not the agent's.
func (w *world) forget(t *testing.T) {
	t.Helper()
	w.checkSecrets(func(format string, args ...any) { t.Errorf(format, args...) })
	w.log.mu.Lock()
	w.log.text.Reset()
	w.log.mu.Unlock()
	w.layer.Restart()
	w.cloud.ResetRequests()
}

// day is what happens in 24 hours.
type day struct {
	*world
	random *rand.Rand
	phase  int
	done   map[string]int
	told   []string // the faults with their times
}

// hour lets an hour pass, with some events.
func (d *day) hour() {
	until := time.Now().Add(time.Hour)
	for time.Now().Before(until) {
		d.idle(time.Minute + time.Duration(d.random.Int64N(int64(14*time.Minute))))
		switch d.random.IntN(3) {
		case 0:
			d.phase = d.random.IntN(2)
			d.push(d.phase)
			d.done["commits"]++
		case 1:
			d.drift()
		default:
			d.fault()
		}
	}
}

// idle lets time pass, and restarts the agent if it was killed.
func (d *day) idle(t time.Duration) {
	for until := time.Now().Add(t); time.Now().Before(until); {
		time.Sleep(5 * time.Second)
		d.restartIfKilled()
	}
}

// fault makes some fault happen to the next request. Faults after which a person has to decide are left out.
func (d *day) fault() {
	all := slices.DeleteFunc(Faults(), func(f Fault) bool { return f.Name == "twice" || f.Name == "huge" })
	f := all[d.random.IntN(len(all))]
	d.must(d.layer.Arm(Case{Request: Any, Fault: f.Name, Seed: d.random.Uint64()}))
	d.done["faults"]++
	d.told = append(d.told, fmt.Sprint(time.Now().Format(time.TimeOnly), " ", f.Name))
}

// drift makes somebody change or delete an object of the stack. It does nothing if the object does not exist now.
func (d *day) drift() {
	all := d.outside.list()
	kinds := []string{"networks", "security_groups", "ports", "security_group_rules", "servers"}
	field := kinds[d.random.IntN(len(kinds))]
	var ours []object
	for _, o := range all[field] {
		if o.text("device_owner") == "network:router_interface" {
			continue // the manifest says nothing about the description of such a port
		}
		if strings.Contains(fmt.Sprint(o), "stackreeve:campaign") || field == "security_group_rules" && o.text("direction") == "ingress" && o.text("remote_group_id") == "" {
			ours = append(ours, o)
		}
	}
	if len(ours) == 0 {
		return
	}
	one := ours[d.random.IntN(len(ours))]
	i := slices.IndexFunc(collections, func(c struct{ path, field string }) bool { return c.field == field })
	path := strings.TrimSuffix(collections[i].path, "/detail") + "/" + one.text("id")
	method, body := "PUT", ""
	switch field {
	case "networks", "security_groups", "ports":
		text, err := json.Marshal(map[string]any{strings.TrimSuffix(field, "s"): map[string]any{"description": fmt.Sprint("by hand ", d.random.IntN(1000))}})
		d.must(err)
		body = string(text)
	default:
		method = "DELETE"
	}
	if code, _, _ := d.outside.try(method, path, body); code < 300 {
		d.done["drift"]++
	}
}
