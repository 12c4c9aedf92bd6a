package agent

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Record is the path of a file in which the process stores its knowledge of a stack for the next process. It is "" if there is
// no folder for data. Without it, people are asked again for an approval, and the credentials alone decide which project is
// used.
type Record string

// maxRecord bounds the file, in bytes: enough for an approval of 100,000 steps.
const maxRecord = 16 << 20

// record is the content of the file.
type record struct {
	Project  string       `json:"project,omitempty"`
	Verified string       `json:"verified,omitempty"` // the last verified commit that was in force
	Approval *approvalDoc `json:"approval,omitempty"`
}

// approvalDoc is a stored approval. Before the approval is used, a hash is computed from Proof and compared
// with Hash.
type approvalDoc struct {
	Hash   string   `json:"hash"`
	By     string   `json:"by,omitempty"`
	Commit string   `json:"commit"`
	Proof  []string `json:"proof"` // the sum of the plan, then the sums of its steps
}

func (f Record) read() (r record, err error) {
	text, err := localfile.ReadOwn(string(f), maxRecord)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

func (f Record) write(r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	return localfile.Replace(string(f), text)
}

func docOf(a *plan.Approval) *approvalDoc {
	if a == nil || a.Commit == "" {
		return nil
	}
	doc := &approvalDoc{Hash: a.Hash, By: a.By, Commit: a.Commit, Proof: []string{hex.EncodeToString(a.Proof.Exact[:])}}
	for _, print := range a.Proof.Steps {
		doc.Proof = append(doc.Proof, hex.EncodeToString(print[:]))
	}
	return doc
}

// approval returns the approval in a document. It returns nil if the hash that Proof gives for the stack is
// not Hash.
func (d *approvalDoc) approval(stack string) *plan.Approval {
	if d == nil || len(d.Proof) == 0 {
		return nil
	}
	sums := make([]checksum.Sum, len(d.Proof))
	for i, text := range d.Proof {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != len(sums[i]) {
			return nil
		}
		copy(sums[i][:], sum)
	}
	a := &plan.Approval{Hash: d.Hash, By: d.By, Commit: d.Commit, Proof: plan.Proof{Exact: sums[0], Steps: sums[1:]}}
	if a.Proof.Hash(stack) != a.Hash {
		return nil
	}
	return a
}

// Check returns the error of reading the record, if any.
func (f Record) Check() error {
	if f == "" {
		return nil
	}
	_, err := f.read()
	return err
}

// readRecord reads the record of the previous process, once. It uses the approval in it only if the loop keeps running (serves), because
// only such a loop knows whether the approval was used.
func (s *Loop) readRecord(serves bool) {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serves = c.serves || serves
	if s.Record == "" || c.recalled {
		return
	}
	c.recalled = true
	r, err := s.Record.read()
	if err != nil {
		return // Check reported the error when the stack was set up
	}
	c.project, c.verified = r.Project, r.Verified
	if serves && c.approval == nil {
		c.approval = r.Approval.approval(s.Name)
	}
}

// storeProject stores the project in which the stack is in sync.
func (s *Loop) storeProject() {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.cloud.Project != "" && c.project != s.cloud.Project {
		c.project = s.cloud.Project
		s.writeRecord()
	}
}

// lastProject returns the project in which the stack was last in sync; "" when unknown.
func (s *Loop) lastProject() string {
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	return s.control.project
}

// writeRecord writes the record. The caller holds the lock. If the file cannot be written, the next process only
// knows less.
func (s *Loop) writeRecord() {
	if s.Record != "" {
		_ = s.Record.write(record{Project: s.control.project, Verified: s.control.verified, Approval: docOf(s.control.approval)})
	}
}
