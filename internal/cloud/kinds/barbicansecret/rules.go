package barbicansecret

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const (
	at         = "spec.resource."
	payloadUse = "barbican secret" // the purpose of the payload's fingerprint
	plainText  = "text/plain"
)

func validate(s *Spec, r *kind.Report) {
	if s.Expiration != nil {
		if _, err := time.Parse(time.RFC3339, *s.Expiration); err != nil {
			r.Problem(at+"expiration", "is no time", "write it like 2030-01-31T00:00:00Z")
		}
	}
}

func (s *Spec) key() string { return table.Or(s.PayloadKey, "payload") }

func (s *Spec) isText() bool { return table.Or(s.ContentType, plainText) == plainText }

// expand checks that the Secret contains the payload. If the Secret is missing, the check of references reports that.
func expand(s *Spec, e *kind.Expansion) {
	if !e.Declares("Secret", s.PayloadRef) {
		return
	}
	text, ok := e.Data("Secret", s.PayloadRef, s.key())
	switch {
	case !ok || text == "" || s.isText() && strings.TrimSpace(text) == "":
		e.Lacks(at+"payloadKey", "Secret", s.PayloadRef, "Secret/"+s.PayloadRef+" has no data."+s.key(), "add it there, or name another key of the data")
	case s.isText() && !utf8.ValidString(text):
		e.Problem(at+"payloadContentType", "data."+s.key()+" of Secret/"+s.PayloadRef+" is no text", "use application/octet-stream")
	}
}

func payload(w want) string { return w.Ref("Secret", w.Spec.PayloadRef).Data[w.Spec.key()] }

func skip(want, *object, *kind.Changes) {}

// diff compares the payload's fingerprint with the fingerprint in the name. If the name has none, the secret is not
// replaced. The mark also says whether the secret is deleted with its manifest. Barbican cannot change the mark, so diff
// only notes a different value in the manifest.
func diff(w want, have *state, c *kind.Changes) {
	print := have.Notes[printNote]
	if text := payload(w); text != "" && w.CompareFingerprint(print, payloadUse, text) == fingerprint.Other {
		c.Add(kind.Change{Field: at + "payloadRef", Have: print, Want: w.Fingerprint(payloadUse, text), Disruption: kind.Replace, Secret: true})
	}
	if have.Mark != nil && have.Mark.Keep != w.Mark.Keep {
		ending := "the secret is deleted with its manifest"
		if have.Mark.Keep {
			ending = "the secret stays when its manifest is removed"
		}
		c.Note("metadata.annotations", "changed after the secret was created, and Barbican cannot store that: "+ending+"; to change that, delete the secret and have it recreated")
	}
}

// writePayload writes text unchanged and bytes in base64, as Barbican requires.
func writePayload(w want, _ *object, body map[string]any) {
	text := payload(w)
	if body["payload_content_type"] = table.Or(w.Spec.ContentType, plainText); w.Spec.isText() {
		body["payload"] = text
		return
	}
	body["payload"], body["payload_content_encoding"] = base64.StdEncoding.EncodeToString([]byte(text)), "base64"
}

func expiration(s *Spec) string {
	t, err := time.Parse(time.RFC3339, table.Or(s.Expiration, ""))
	if err != nil {
		return "" // the manifest gives no time: validate has checked the format
	}
	return table.Timestamp(t)
}

func compareExpiration(w want, have *object, c *kind.Changes) {
	kind.Fixed(c, at+"expiration", table.Timestamp(have.More.Expiration.Time), expiration(w.Spec))
}

func writeExpiration(w want, _ *object, body map[string]any) {
	if text := expiration(w.Spec); text != "" {
		body["expiration"] = text
	}
}

func observe(s *state, live *kind.Live) {
	live.Name, live.Created, live.Updated = table.Or(s.Spec.Name, ""), s.More.CreatedAt.Time, s.More.UpdatedAt.Time
	live.Facts = kind.Facts{Name: live.Name, Address: s.More.Ref}
	if s.More.Status == "ERROR" {
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
}

// export omits the payload, because the payload is never read. A secret without a mark cannot get one, so it is exported
// as an import.
func export(s *state, spec *Spec, e *kind.Export) {
	spec.Expiration = nil
	if text := table.Timestamp(s.More.Expiration.Time); text != "" {
		spec.Expiration = &text
	}
	if s.Mark != nil {
		e.AddLost(at+"payloadRef", "the content of the secret is not exported; name the Secret with the content")
	} else {
		e.ImportOnly = "cannot be adopted, because Barbican cannot add a mark to a secret; its content is not written"
	}
}
