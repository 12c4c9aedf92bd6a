package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/source"
)

// StatusList is the status of stacks and their objects for programs, in the form that kubectl prints. docs/json.md describes it.
type StatusList struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Stacks     []StackDoc      `json:"stacks"`
	Items      []status.Object `json:"items"`
}

// StackDoc is the status of a stack without its objects.
type StackDoc struct {
	Name       string         `json:"name"`
	Commit     string         `json:"commit,omitempty"`
	Branch     string         `json:"branch,omitempty"`
	Subject    string         `json:"subject,omitempty"`
	Author     string         `json:"author,omitempty"`
	Signed     string         `json:"signed,omitempty"`     // who signed the revision; "" if no signatures are needed.
	Unverified string         `json:"unverified,omitempty"` // why the revision is not verified, so that an agent does not apply it.
	Time       string         `json:"time,omitempty"`       // the time of the commit; RFC 3339, UTC
	Cloud      string         `json:"cloud,omitempty"`
	Region     string         `json:"region,omitempty"`
	LastPass   *LastPass      `json:"lastPass,omitempty"` // nil if unknown
	Agent      *AgentWord     `json:"agent,omitempty"`    // nil if no agent was asked
	Outcome    string         `json:"outcome"`
	ExitCode   int            `json:"exitCode"`
	Held       string         `json:"held,omitempty"`
	Suspended  string         `json:"suspended,omitempty"`
	Hash       string         `json:"hash"`
	Unlisted   []string       `json:"unlisted,omitempty"`
	Refused    []string       `json:"refused,omitempty"`
	Owned      int            `json:"owned"`
	Summary    plan.Summary   `json:"summary"`
	Reported   int            `json:"reported"` // the number of objects with drift that is only reported; summary.keep includes them
	States     map[string]int `json:"states"`   // number of the plan's objects in each state
}

// LastPass is the end of the last pass for a stack's commit, as its agent reported it to the forge.
type LastPass struct {
	State       string `json:"state"` // success, failure, error or pending
	Description string `json:"description"`
}

// StatusView is the result of checking one stack.
type StatusView struct {
	Plan          plan.Plan
	Rev           source.Revision
	Cloud, Region string
	LastPass      *LastPass // nil if unknown
	WhyUnknown    string    // the reason why LastPass is unknown, for people
	Agent         *AgentWord
	// Unverified is the reason why the newest commit is not verified; "" if it is, or if no signatures are needed. If it is set, the commit's manifests were not
	// read, and the plan and the objects are empty.
	Unverified string
	Objects    []status.Object
}

// Outcome returns the outcome that the newest commit would have in a run.
func (v StatusView) Outcome() plan.Outcome {
	if v.Unverified != "" {
		return plan.Invalid
	}
	return v.Plan.Outcome()
}

// StatusDocument returns the status of stacks for programs, with the objects that the filter selects.
func StatusDocument(views []StatusView, f StatusFilter) StatusList {
	doc := StatusList{APIVersion: "v1", Kind: "List", Stacks: []StackDoc{}, Items: []status.Object{}}
	for _, v := range views {
		doc.Stacks = append(doc.Stacks, v.doc())
		doc.Items = append(doc.Items, f.Select(v.Objects)...)
	}
	return doc
}

func (v StatusView) doc() StackDoc {
	p, show := v.Plan, v.Plan.Secrets.Text
	doc := StackDoc{
		Name: p.Stack, Commit: v.Rev.Commit, Branch: v.Rev.Branch, Subject: show(v.Rev.Subject), Author: show(v.Rev.Author), Signed: show(v.Rev.Signed.String()), Unverified: show(v.Unverified),
		Cloud: v.Cloud, Region: v.Region, Outcome: v.Outcome().String(), ExitCode: int(v.Outcome()), Held: p.Held.String(), Hash: p.Hash(),
		Unlisted: p.Unlisted, Refused: p.Refused, Owned: p.Owned, Summary: p.Summary(), Suspended: p.Suspended, States: map[string]int{},
	}
	if !v.Rev.Time.IsZero() {
		doc.Time = v.Rev.Time.UTC().Format(time.RFC3339)
	}
	if v.LastPass != nil {
		doc.LastPass = &LastPass{State: v.LastPass.State, Description: show(v.LastPass.Description)}
	}
	if v.Agent != nil {
		word := *v.Agent
		word.Message, word.Error = show(word.Message), show(word.Error)
		doc.Agent = &word
	}
	for _, o := range v.Objects {
		if o.Status.Action == plan.Keep && len(o.Status.Changes) > 0 {
			doc.Reported++
		}
		if o.Status.Action != "" {
			doc.States[string(o.Status.State)]++
		}
	}
	return doc
}

// YAML writes v as YAML that is safe to print. The names of the fields are those in JSON.
func YAML(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := errors.Join(enc.Encode(nodeOf(tree)), enc.Close()); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(printable.YAML(b.Bytes()))
	return err
}

// nodeOf returns the YAML node of a JSON tree, with the fields in the order of their names. Text that is not safe to print is written in double
// quotes. (A YAML parser would not read JSON with names longer than 1,024 characters.)
func nodeOf(tree any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := tree.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if !strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!int"
		}
	case string:
		if n.Tag, n.Value = "!!str", v; !printable.Safe(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case []any:
		n.Kind = yaml.SequenceNode
		for _, item := range v {
			n.Content = append(n.Content, nodeOf(item))
		}
	case map[string]any:
		n.Kind = yaml.MappingNode
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, nodeOf(key), nodeOf(v[key]))
		}
	}
	return n
}
