package readapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
)

// item is one object of the API. It is not changed after it is shown.
type item struct {
	gvk             manifest.GroupVersionKind
	name, namespace string
	labels          map[string]string
	fields          map[string]string // the fields for field selectors, in addition to name and namespace.
	cells           []any             // the cells of its row in a table.
	entry           Entry
	owner           owner  // zero if it has no owner.
	written         string // FILE:LINE of its manifest; "" if there is none.
	created         string // "" if unknown.
	version         int    // the version of the store at its last change.
	turns           []turn // the turns of its conditions, in their order.
	text            []byte // JSON.
}

// owner is the item that owns another item.
type owner struct {
	gvk manifest.GroupVersionKind
	id  id
}

// turn is the status of a condition, and the time since when the condition has it.
type turn struct{ status, since string }

// draft is an item before it is encoded.
type draft struct {
	item
	whole      map[string]any     // the object without apiVersion, kind and metadata
	conditions []status.Condition // the conditions in whole
}

// turned sets the transition time of each condition. It is now, or the earlier time if the status has not changed.
func (d *draft) turned(now string, before *item) {
	d.turns = nil
	for n := range d.conditions {
		c := &d.conditions[n]
		if c.LastTransitionTime == "" {
			c.LastTransitionTime = now
			if before != nil && n < len(before.turns) && before.turns[n].status == c.Status {
				c.LastTransitionTime = before.turns[n].since
			}
		}
		d.turns = append(d.turns, turn{c.Status, c.LastTransitionTime})
	}
}

// status returns the attribute status of the draft.
func (d draft) status() map[string]any {
	status, _ := d.whole["status"].(map[string]any) // every draft that has a status holds it as a map
	return status
}

// at returns the item with a version. If nothing has changed, it returns the item before.
func (d draft) at(version int, before *item) (item, error) {
	made := d.item
	if before != nil {
		made.version = before.version
		text, err := d.encode(before.version)
		if err != nil || bytes.Equal(text, before.text) {
			return *before, err
		}
	}
	made.version = version
	text, err := d.encode(version)
	made.text = text
	return made, err
}

// goneAt returns the item with the version at which it was deleted. Some clients ignore a deletion with an older version.
func (i item) goneAt(version int) item {
	var whole, of map[string]json.RawMessage
	if json.Unmarshal(i.text, &whole) != nil || json.Unmarshal(whole["metadata"], &of) != nil {
		return i // cannot happen: the agent encoded the text itself
	}
	of["resourceVersion"] = json.RawMessage(strconv.Quote(strconv.Itoa(version)))
	metadata, err := json.Marshal(of)
	if err != nil {
		return i
	}
	whole["metadata"] = metadata
	if text, err := json.Marshal(whole); err == nil {
		i.version, i.text = version, text
	}
	return i
}

func (d draft) encode(version int) ([]byte, error) {
	whole := maps.Clone(d.whole)
	if whole == nil {
		whole = map[string]any{}
	}
	whole["apiVersion"], whole["kind"] = d.gvk.APIVersion(), d.gvk.Kind
	whole["metadata"] = d.metadata(version)
	var text bytes.Buffer
	enc := json.NewEncoder(printable.JSONWriter{W: &text})
	enc.SetEscapeHTML(false)
	if err := enc.Encode(whole); err != nil {
		return nil, fmt.Errorf("encode %s: %w", d.gvk.Kind, err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// namespaceLabel is the label for the namespace in an object's manifest. It is needed because metadata.namespace contains the stack.
const namespaceLabel = "stackreeve.dev/namespace"

// objects returns the objects of the plan with which a pass ended. If two objects differ only in the namespaces of their manifests, both are
// listed.
func objects(stack string, p *engine.Pass, kinds []*kind.Kind) (list []draft) {
	specs := p.Last.Specs()
	for _, o := range status.After(p.Last, kinds, p.Faults()) {
		if o.APIVersion == "" || o.Status.Surplus {
			continue // a surplus copy has the name of its original
		}
		list = append(list, object(stack, o, specs))
	}
	slices.SortStableFunc(list, func(a, b draft) int { return natural.Compare(a.name, b.name) })
	return list
}

func object(stack string, o status.Object, specs func(manifest.Key) any) draft {
	gvk := gvkOf(o.APIVersion, o.Kind)
	key := manifest.Key{Group: gvk.Group, Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}
	labels := maps.Clone(o.Metadata.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	if o.Metadata.Namespace != "" {
		labels[namespaceLabel] = o.Metadata.Namespace
	}
	whole := map[string]any{"status": o.Status}
	if spec := specs(key); spec != nil {
		whole["spec"] = spec
	}
	d := draft{item: item{
		gvk: gvk, name: o.Metadata.Name, namespace: stack, labels: labels,
		fields: map[string]string{"status.state": string(o.Status.State)}, cells: cells(o), created: stamp(o.Status.Made),
	}, whole: whole, conditions: o.Status.Conditions}
	if len(o.Metadata.OwnerReferences) > 0 {
		of := o.Metadata.OwnerReferences[0]
		d.owner = owner{gvkOf(of.APIVersion, of.Kind), id{of.Name, o.Metadata.Namespace}}
	}
	if at := o.Status.Origin; at != nil {
		d.written = printable.Line(at.File) + ":" + strconv.Itoa(at.Line)
	}
	d.entry = entryOf(o, d.written)
	return d
}

func gvkOf(apiVersion, kind string) manifest.GroupVersionKind {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	return manifest.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// cells returns the cells for [objectColumns], except the age, which is computed when the cells are shown.
func cells(o status.Object) []any {
	written := ""
	if at := o.Status.Origin; at != nil {
		written = at.File + ":" + strconv.Itoa(at.Line)
	}
	return clean(o.Metadata.Name, o.Status.Ready, string(o.Status.State), strings.Join(o.Status.Addresses, ","), "", o.Status.ID, written, o.Status.Message)
}

func clean(texts ...string) (cells []any) {
	for _, text := range texts {
		cells = append(cells, report.Clean(text))
	}
	return cells
}
