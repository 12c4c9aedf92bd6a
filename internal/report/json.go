package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/source"
)

// PlanDoc is a plan for programs. New versions may add fields, but never rename or remove any. docs/json.md describes it.
type PlanDoc struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Stack      string          `json:"stack"`
	Commit     string          `json:"commit,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	Dir        string          `json:"dir,omitempty"` // the folder, if there is no commit
	Hash       string          `json:"hash"`
	Outcome    string          `json:"outcome"`
	ExitCode   int             `json:"exitCode"`
	Limited    *LimitDoc       `json:"limited,omitempty"`
	Held       string          `json:"held,omitempty"`
	Suspended  string          `json:"suspended,omitempty"`
	Unlisted   []string        `json:"unlisted,omitempty"`
	Refused    []string        `json:"refused,omitempty"`
	Owned      int             `json:"owned"`
	Summary    plan.Summary    `json:"summary"`
	Steps      []StepDoc       `json:"steps"`
	Notes      []NoteDoc       `json:"notes,omitempty"`
	Ignored    []IgnoredDoc    `json:"ignored,omitempty"`
	LeftAlone  []PassedOverDoc `json:"leftAlone,omitempty"` // files and documents of the commit that were left alone
	Cost       *CostDoc        `json:"cost,omitempty"`
	Quotas     []QuotaDoc      `json:"quotas,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Unknown    []string        `json:"unknown,omitempty"` // values that are known only when the plan is carried out
}

// CostDoc is the amount by which a plan raises the cost of a month of 730 hours.
type CostDoc struct {
	Currency string        `json:"currency"`
	Month    string        `json:"month"` // with 6 decimals; negative if the cost falls
	Unpriced []ResourceDoc `json:"unpriced,omitempty"`
}

// ResourceDoc names a resource that is counted.
type ResourceDoc struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
}

// QuotaDoc is the plan's use of a limited quota.
type QuotaDoc struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Needed  int64  `json:"needed"`
	Freed   int64  `json:"freed"`
	Free    *int64 `json:"free,omitempty"` // left out when unknown
	Limit   int64  `json:"limit"`
	Short   int64  `json:"short"` // the amount by which the quota is too small for the plan
}

// IgnoredDoc is a difference that no step corrects, because an annotation of the object names the fields.
type IgnoredDoc struct {
	Key     KeyDoc            `json:"key"`
	Changes []ChangeDoc       `json:"changes"`
	Names   map[string]string `json:"names,omitempty"`
}

// StepDoc is a step for programs. Steps that change nothing are left out; the summary contains their number.
type StepDoc struct {
	Key        KeyDoc            `json:"key"`
	Parent     *KeyDoc           `json:"parent,omitempty"`
	Action     plan.Action       `json:"action"`
	Reason     string            `json:"reason,omitempty"`
	Error      bool              `json:"error,omitempty"`
	Drift      bool              `json:"drift,omitempty"`
	Trace      *status.Trace     `json:"changedBy,omitempty"`
	Disruption kind.Disruption   `json:"disruption"`
	Changes    []ChangeDoc       `json:"changes,omitempty"`
	Awaits     []KeyDoc          `json:"awaits,omitempty"`
	Blockers   []string          `json:"blockers,omitempty"`
	ID         string            `json:"id,omitempty"`
	Origin     *OriginDoc        `json:"origin,omitempty"`
	Layers     []OriginDoc       `json:"layers,omitempty"` // the places in later layers that are merged into the manifest
	Within     *KeyDoc           `json:"within,omitempty"`
	Adopts     bool              `json:"adopts,omitempty"`
	Values     []ValueDoc        `json:"values,omitempty"`
	Names      map[string]string `json:"names,omitempty"`
	Notes      []kind.Note       `json:"notes,omitempty"`
}

// ChangeDoc is a change for programs. Have and Want are left out for secrets.
type ChangeDoc struct {
	Field      string          `json:"field"`
	Have       any             `json:"have"`
	Want       any             `json:"want"`
	Disruption kind.Disruption `json:"disruption"`
	Way        string          `json:"way,omitempty"`
	Secret     bool            `json:"secret,omitempty"`
}

// ValueDoc is a field of an object that will be created. Value is left out for secrets.
type ValueDoc struct {
	Field  string `json:"field"`
	Value  any    `json:"value,omitempty"`
	Secret bool   `json:"secret,omitempty"`
}

// NoteDoc is a note about an object that has no step.
type NoteDoc struct {
	Key   KeyDoc `json:"key"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

// KeyDoc is a key for programs.
type KeyDoc struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// OriginDoc is a place in the repository for programs.
type OriginDoc struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func keyDoc(k manifest.Key) KeyDoc {
	return KeyDoc{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name}
}

// Document returns the plan for programs, with its requirements for the cloud.
func Document(p plan.Plan, needs preflight.Findings, rev source.Revision) PlanDoc {
	doc := PlanDoc{
		APIVersion: "stackreeve.dev/v1alpha1", Kind: "Plan", Stack: p.Stack, Commit: p.Commit, Branch: rev.Branch, Dir: rev.Folder,
		Hash: p.Hash(), Outcome: p.Outcome().String(), ExitCode: int(p.Outcome()), Held: p.Held.String(), Suspended: p.Suspended, Unlisted: p.Unlisted, Refused: p.Refused,
		Owned: p.Owned, Summary: p.Summary(), Steps: []StepDoc{},
	}
	doc.Limited = limitDoc(p)
	for _, s := range p.Steps {
		if !s.Silent() {
			doc.Steps = append(doc.Steps, stepDoc(s))
		}
		if len(s.Ignored) > 0 {
			doc.Ignored = append(doc.Ignored, IgnoredDoc{keyDoc(s.Key), changeDocs(s.Ignored), s.Names})
		}
	}
	if c := needs.Cost; c != nil {
		doc.Cost = &CostDoc{Currency: c.Currency, Month: c.Month.FloatString(6)}
		for _, r := range c.Unpriced {
			doc.Cost.Unpriced = append(doc.Cost.Unpriced, ResourceDoc(r))
		}
	}
	doc.LeftAlone = leftDocs(p.Ignored)
	for _, q := range needs.Quotas {
		out := QuotaDoc{Service: q.Service, Name: q.Name, Type: q.Type, Needed: q.Needed, Freed: q.Freed, Limit: q.Limit, Short: q.Short()}
		if free, known := q.Free(); known {
			out.Free = &free
		}
		doc.Quotas = append(doc.Quotas, out)
	}
	doc.Unknown, doc.Warnings = needs.Notes.Texts(), needs.Warnings.Texts()
	for _, w := range p.Workloads {
		for _, n := range w.Notes {
			doc.Notes = append(doc.Notes, NoteDoc{keyDoc(w.Key), n.Field, n.Text})
		}
	}
	return doc
}

func stepDoc(s plan.Step) StepDoc {
	doc := StepDoc{
		Key: keyDoc(s.Key), Action: s.Action, Reason: s.FullCause(), Error: s.Error, Drift: s.Drift,
		Trace: status.TraceOf(s), Disruption: s.Disruption(), Blockers: s.Blockers, ID: s.ShownID(), Notes: s.Notes,
	}
	if s.Parent != (manifest.Key{}) {
		parent := keyDoc(s.Parent)
		doc.Parent = &parent
	}
	if s.Origin.File != "" {
		doc.Origin = &OriginDoc{s.Origin.File, s.Origin.Line}
	}
	for _, at := range Layers(s) {
		doc.Layers = append(doc.Layers, OriginDoc{at.File, at.Line})
	}
	for _, k := range s.Awaits {
		doc.Awaits = append(doc.Awaits, keyDoc(k))
	}
	doc.Changes = changeDocs(s.Changes)
	doc.Adopts, doc.Names = s.Adopts, s.Names
	if s.Within != (manifest.Key{}) {
		within := keyDoc(s.Within)
		doc.Within = &within
	}
	for _, v := range Values(s) {
		doc.Values = append(doc.Values, ValueDoc{v.Field, v.Value, v.Secret})
	}
	return doc
}

func changeDocs(changes []kind.Change) (list []ChangeDoc) {
	for _, c := range changes {
		out := ChangeDoc{Field: c.Field, Have: c.Have, Want: c.Want, Disruption: c.Disruption, Way: c.Way, Secret: c.Secret}
		if c.Secret {
			out.Have, out.Want = nil, nil
		}
		list = append(list, out)
	}
	return list
}

// JSON writes v indented. It does not escape characters that are safe to print.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(printable.JSONWriter{W: w})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return nil
}
