package readapi

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/report"
)

var (
	eventGVK = manifest.GroupVersionKind{Version: "v1", Kind: "Event"}
	// newerEventGVK is the kind of events in events.k8s.io. Some programs read only this one.
	newerEventGVK = manifest.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}
)

// maxEvents is the maximum number of events of a stack in memory. Older events are dropped.
const maxEvents = 500

// remember adds the events of a run to those of a stack. If an event is already there, its count is raised.
func remember(had []report.Event, happened []report.Event) []report.Event {
	all := slices.Clone(had)
	for _, e := range happened {
		if i := slices.IndexFunc(all, e.Repeats); i >= 0 {
			e.First, e.Count = all[i].First, all[i].Count+e.Count
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, e)
	}
	return all[max(0, len(all)-maxEvents):]
}

// event returns the item of an event, in the form of core/v1.
func event(stack, apiVersion string, e report.Event) draft {
	sort := "Normal"
	if e.Warning {
		sort = "Warning"
	}
	about := map[string]string{"apiVersion": apiVersion, "kind": e.Key.Kind, "name": e.Key.Name, "namespace": stack,
		"uid": uid(stack, manifest.GroupVersionKind{Group: e.Key.Group, Kind: e.Key.Kind}, id{e.Key.Name, e.Key.Namespace})}
	fields := map[string]string{"type": sort, "reason": e.Reason}
	for name, value := range about {
		fields["involvedObject."+name] = value
	}
	digest := sha256.Sum256([]byte(strings.Join([]string{e.Key.String(), e.Reason, e.Message}, "\x00")))
	name := e.Key.Name + "." + hex.EncodeToString(digest[:8])
	return draft{
		item: item{
			gvk: eventGVK, name: name, namespace: stack, labels: map[string]string{stackLabel: stack}, fields: fields, created: stamp(e.First),
			cells: clean(stamp(e.Last), sort, e.Reason, strings.ToLower(e.Key.Kind)+"/"+e.Key.Name, e.Message, strconv.Itoa(e.Count), name),
		},
		whole: map[string]any{
			"involvedObject": about, "reason": e.Reason, "message": e.Message, "type": sort, "count": e.Count,
			"firstTimestamp": stamp(e.First), "lastTimestamp": stamp(e.Last), "source": map[string]string{"component": "stackreeve"},
			"reportingComponent": "stackreeve", "reportingInstance": "",
		},
	}
}

// eventsOf returns the drafts of events, in both forms.
func eventsOf(stack string, events []report.Event, versions map[[2]string]string) (drafts []draft) {
	for _, e := range events {
		made := event(stack, versions[[2]string{e.Key.Group, e.Key.Kind}], e)
		drafts = append(drafts, made, newer(made))
	}
	return drafts
}

// newer returns the same event in the form of events.k8s.io/v1.
func newer(e draft) draft {
	of := e.whole
	e.gvk = newerEventGVK
	e.whole = map[string]any{
		"regarding": of["involvedObject"], "reason": of["reason"], "note": of["message"], "type": of["type"], "eventTime": nil,
		"deprecatedCount": of["count"], "deprecatedFirstTimestamp": of["firstTimestamp"], "deprecatedLastTimestamp": of["lastTimestamp"],
		"deprecatedSource": of["source"], "reportingController": of["reportingComponent"], "reportingInstance": of["reportingInstance"],
	}
	return e
}
