// Package m3dbnamespace is the kind M3DBNamespace: a namespace of an M3DB cluster, with its data. The agent asks the coordinators of the
// cluster for it. An M3DBCluster makes the cluster, and an M3DBNamespace for each of its namespaces.
//
//	create   makes the namespace
//	update   makes coordinators use the namespace, or changes how long it keeps data
//	delete   deletes the namespace with all data
//
// A namespace has no mark. If a manifest names a namespace, it belongs to the stack. Any other namespace is deleted only if a tag on ports of
// the cluster records that a manifest named it. The agent never changes the rest.
package m3dbnamespace

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a namespace.
type Spec struct {
	Cluster      string   `json:"cluster" rule:"required,min=1,immutable" doc:"Name of the cluster of the namespace."`
	Name         string   `json:"name" rule:"required,min=1,max=255,immutable" doc:"Name in the cluster."`
	InstanceRefs []string `json:"instanceRefs" rule:"required,min=1,max=100,unique,format=name" ref:"M3DBInstance,order" doc:"Instances of the cluster, which must exist first."`
	PortRefs     []string `json:"portRefs" rule:"required,min=1,max=3,unique,format=name" ref:"Port,order" doc:"Ports of the machines that the agent asks."`
	Options      Options  `json:"options" rule:"required" doc:"Options of the namespace. Only retentionPeriod can be changed."`
}

// Options are the options of m3db-operator. (pkg/apis/m3dboperator/v1alpha1/namespace.go: NamespaceOptions)
type Options struct {
	BootstrapEnabled   bool               `json:"bootstrapEnabled,omitempty" doc:"Whether a node that starts reads the existing data."`
	FlushEnabled       bool               `json:"flushEnabled,omitempty" doc:"Whether data is written to disk."`
	WritesToCommitLog  bool               `json:"writesToCommitLog,omitempty" doc:"Whether writes are in the commit log."`
	CleanupEnabled     bool               `json:"cleanupEnabled,omitempty" doc:"Whether data is deleted after the retention period."`
	RepairEnabled      bool               `json:"repairEnabled,omitempty" doc:"Whether nodes compare their data and repair it."`
	SnapshotEnabled    bool               `json:"snapshotEnabled,omitempty" doc:"Whether snapshots are made of data that is not written to disk yet."`
	ColdWritesEnabled  bool               `json:"coldWritesEnabled,omitempty" doc:"Whether values with any time may be written."`
	RetentionOptions   RetentionOptions   `json:"retentionOptions,omitempty" doc:"How long data is kept."`
	IndexOptions       IndexOptions       `json:"indexOptions,omitempty" doc:"The index of series."`
	AggregationOptions AggregationOptions `json:"aggregationOptions,omitempty" doc:"Resolution of aggregated data; if left out, the namespace has the data as it was written."`
	ExtendedOptions    map[string]any     `json:"extendedOptions,omitempty" doc:"Has no effect, and a plan notes it."`
}

// RetentionOptions say how long data is kept. Durations are written like 48h or 10m.
type RetentionOptions struct {
	RetentionPeriod                     string `json:"retentionPeriod,omitempty" doc:"How long data is kept."`
	BlockSize                           string `json:"blockSize,omitempty" doc:"Period of the data in one block."`
	BufferFuture                        string `json:"bufferFuture,omitempty" doc:"How far in the future the time of a written value may be."`
	BufferPast                          string `json:"bufferPast,omitempty" doc:"How far in the past the time of a written value may be."`
	BlockDataExpiry                     bool   `json:"blockDataExpiry,omitempty" doc:"Whether blocks that nobody reads are removed from memory."`
	BlockDataExpiryAfterNotAccessPeriod string `json:"blockDataExpiryAfterNotAccessPeriod,omitempty" doc:"How long a block is not read before it is removed from memory."`
}

// IndexOptions are the options of the index.
type IndexOptions struct {
	Enabled   bool   `json:"enabled,omitempty" doc:"Whether the namespace has an index."`
	BlockSize string `json:"blockSize,omitempty" doc:"Period of one block of the index."`
}

// AggregationOptions say which aggregates the namespace holds.
type AggregationOptions struct {
	Aggregations []Aggregation `json:"aggregations,omitempty" rule:"max=16" doc:"The aggregates that the namespace holds. An element with aggregated: false means the data as it was written."`
}

// Aggregation is one aggregate. If Aggregated is false, it is the data as it was written.
type Aggregation struct {
	Aggregated bool       `json:"aggregated,omitempty" doc:"Whether the element is an aggregate."`
	Attributes Attributes `json:"attributes,omitempty" doc:"Resolution and data of the aggregate."`
}

// Attributes are the attributes of an aggregate.
type Attributes struct {
	Resolution        string      `json:"resolution,omitempty" doc:"Length of time that one aggregated value covers, such as 1m."`
	DownsampleOptions *Downsample `json:"downsampleOptions,omitempty" doc:"Which data is aggregated."`
}

// Downsample says which data is aggregated.
type Downsample struct {
	All bool `json:"all,omitempty" doc:"true: all data is aggregated; false: only data that the rules of M3's coordinator select."`
}

// State is the state of a namespace as the cluster reports it.
type State struct {
	m3.Namespace
	name       string
	env        string
	addresses  []string
	portIDs    []string
	unrecorded bool
}

type (
	rules  struct{}
	driver struct {
		member.Marked[State]
		cloud    *cloud.Client
		machines outbound.Machines
	}
	live = typed.Live[State]
	want = typed.Want[Spec]
)

// Kind returns the kind M3DBNamespace. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	d := driver{cloud: c}
	if c != nil {
		d.machines = c.Machines
	}
	r := rules{}
	return typed.Kind[Spec, struct{}, State]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "M3DBNamespace", FixedMark: true, StaysMarked: true, Rare: true, HostedOn: []string{"Port"},
			HoldsData: true, Loss: []string{"all data in it"}, Unmark: "the marks are tags on the ports of its cluster",
			Doc: "A namespace of a cluster of M3DB, with all data in it. The agent finds it by asking the cluster itself. An M3DBCluster makes one for each of its namespaces, so you need not write it by hand.",
		},
		Validate: r.Validate, Diff: r.Diff, Status: r.Status,
		List: d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Flat()
}

func (rules) Validate(s *Spec, r *kind.Report) {
	if _, field, ok := s.Options.read(); !ok {
		r.Problem("spec.options."+field, "is not a duration, or is below 0", "write it like 48h or 10m")
	}
	if s.Options.ExtendedOptions != nil {
		r.Note("spec.options.extendedOptions", "is not used")
	}
}

// diffOptions reports the options that differ, as JSON. A plan's hash includes the values that it shows, and JSON is the same in every process.
func diffOptions(have, want m3.Options, c *kind.Changes) {
	h, w := reflect.ValueOf(have), reflect.ValueOf(want)
	for i := range h.NumField() {
		if a, b := h.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			c.Add(kind.Change{Field: "spec.options." + h.Type().Field(i).Tag.Get("json"), Have: textOf(a), Want: textOf(b), Disruption: kind.Replace})
		}
	}
}

func textOf(option any) string {
	text, _ := json.Marshal(option) // option contains only numbers, texts and lists of them
	return string(text)
}

// Diff reports changes in place, changes that would lose the data, and a namespace that coordinators do not use yet.
func (rules) Diff(w want, have *State, c *kind.Changes) {
	options, _, ok := w.Spec.Options.read()
	if !ok {
		return
	}
	kind.Field(c, "spec.options.retentionOptions.retentionPeriod", have.RetentionOptions.RetentionPeriod.String(), options.RetentionOptions.RetentionPeriod.String())
	there := have.Options
	there.RetentionOptions.RetentionPeriod = options.RetentionOptions.RetentionPeriod
	there.AggregationOptions.Aggregations = usual(there.AggregationOptions.Aggregations)
	diffOptions(there, options, c)
	if !have.Ready() {
		c.Add(kind.Change{Field: "state", Have: have.Staging.Status, Want: "READY"})
	}
	if have.unrecorded {
		c.Add(kind.Change{Field: "record", Have: "", Want: "it was requested"})
	}
}

// Status implements [typed.Kind].
func (rules) Status(s *State) any {
	return map[string]any{"name": s.name, "state": s.Staging.Status, "retentionPeriod": s.RetentionOptions.RetentionPeriod.String()}
}

// usual returns the list with its defaults. Coordinators require a list, so an empty list becomes one entry for data that is not aggregated. An
// aggregated entry with attributes and without downsampleOptions gets all: true, so all data is downsampled into it.
func usual(list []m3.Aggregation) []m3.Aggregation {
	if len(list) == 0 {
		return []m3.Aggregation{{}}
	}
	all := make([]m3.Aggregation, len(list))
	for i, a := range list {
		if all[i].Aggregated = a.Aggregated; !a.Aggregated || a.Attributes == nil {
			continue
		}
		attributes := *a.Attributes
		if attributes.DownsampleOptions == nil {
			attributes.DownsampleOptions = &m3.Downsample{All: true}
		}
		all[i].Attributes = &attributes
	}
	return all
}

// read converts the options to the types that coordinators use. If a value is not a duration, field names it and ok is false.
func (o *Options) read() (out m3.Options, field string, ok bool) {
	out = m3.Options{BootstrapEnabled: o.BootstrapEnabled, FlushEnabled: o.FlushEnabled, WritesToCommitLog: o.WritesToCommitLog, CleanupEnabled: o.CleanupEnabled,
		RepairEnabled: o.RepairEnabled, SnapshotEnabled: o.SnapshotEnabled, ColdWritesEnabled: o.ColdWritesEnabled}
	out.RetentionOptions.BlockDataExpiry, out.IndexOptions.Enabled = o.RetentionOptions.BlockDataExpiry, o.IndexOptions.Enabled
	times := []timed{
		{"retentionOptions.retentionPeriod", o.RetentionOptions.RetentionPeriod, &out.RetentionOptions.RetentionPeriod},
		{"retentionOptions.blockSize", o.RetentionOptions.BlockSize, &out.RetentionOptions.BlockSize},
		{"retentionOptions.bufferFuture", o.RetentionOptions.BufferFuture, &out.RetentionOptions.BufferFuture},
		{"retentionOptions.bufferPast", o.RetentionOptions.BufferPast, &out.RetentionOptions.BufferPast},
		{"retentionOptions.blockDataExpiryAfterNotAccessPeriod", o.RetentionOptions.BlockDataExpiryAfterNotAccessPeriod, &out.RetentionOptions.BlockDataExpiryAfterNotAccessPeriod},
		{"indexOptions.blockSize", o.IndexOptions.BlockSize, &out.IndexOptions.BlockSize},
	}
	all := make([]m3.Aggregation, len(o.AggregationOptions.Aggregations))
	for i, a := range o.AggregationOptions.Aggregations {
		all[i] = m3.Aggregation{Aggregated: a.Aggregated, Attributes: &m3.Attributes{}}
		if d := a.Attributes.DownsampleOptions; d != nil {
			all[i].Attributes.DownsampleOptions = &m3.Downsample{All: d.All}
		}
		times = append(times, timed{fmt.Sprintf("aggregationOptions.aggregations[%d].attributes.resolution", i), a.Attributes.Resolution, &all[i].Attributes.Resolution})
	}
	for _, t := range times {
		if t.text == "" {
			continue
		}
		d, err := time.ParseDuration(t.text)
		if err != nil || d < 0 {
			return out, t.field, false
		}
		*t.into = d
	}
	out.AggregationOptions.Aggregations = usual(all)
	return out, "", true
}

// timed is a field of options that holds a duration.
type timed struct {
	field, text string
	into        *time.Duration
}
