package applicationcredential

import (
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	want   = typed.Want[Spec]
	object = table.Object[Spec, More]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

const (
	secretKey  = "value"                   // the key in the Secret's data of the credential's secret, as in K-ORC
	secretUse  = "application credential"  // the purpose of the secret's fingerprint
	secretNote = mark.ExtraKey + "-secret" // the note of the mark that contains the fingerprint
	at         = "spec.resource."
)

func validate(s *Spec, r *kind.Report) {
	for i, rule := range s.AccessRules {
		if (rule.Service == "") == (rule.ServiceRef == "") {
			r.Problem(fmt.Sprintf("%saccessRules[%d]", at, i), "names no service, or two", "give one of serviceRef and service")
		}
	}
	if s.ExpiresAt != nil {
		if _, err := time.Parse(time.RFC3339, *s.ExpiresAt); err != nil {
			r.Problem(at+"expiresAt", "is no time", "write it like 2030-01-31T00:00:00Z")
		}
	}
}

// expand checks that the Secret's data has the key secretKey. If the Secret is missing, the check of references reports that.
func expand(s *Spec, e *kind.Expansion) {
	if !e.Declares("Secret", s.SecretRef) {
		return
	}
	if text, ok := e.Data("Secret", s.SecretRef, secretKey); !ok || text == "" {
		e.Lacks(at+"secretRef", "Secret", s.SecretRef, "Secret/"+s.SecretRef+" has no data."+secretKey, "add it there, or name another Secret")
	}
}

func observe(s *state, live *kind.Live) {
	if s.Spec.Unrestricted == nil {
		s.Spec.Unrestricted = new(bool) // Keystone shows null if it was never set
	}
	if ends, err := time.Parse(timeForm, s.More.ExpiresAt); err == nil {
		s.More.ExpiresAt = ends.Format(time.RFC3339Nano)
	}
	live.Facts = kind.Facts{Name: s.Name}
	for _, role := range s.More.Roles {
		live.AutoDetached = append(live.AutoDetached, role.ID)
	}
	live.Uses = live.AutoDetached
}

func export(_ *state, _ *Spec, e *kind.Export) {
	e.ImportOnly = "cannot be adopted, because Keystone cannot add a mark to an application credential; its secret is not written"
}

func skip(want, *object, *kind.Changes) {}

// compareUser adds only a note if the manifest names another user, because a new credential would belong to the agent's
// user again.
func compareUser(w want, have *object, c *kind.Changes) {
	if ref := w.Ref("User", w.Spec.UserRef); ref.ID != "" && ref.ID != have.Spec.UserRef {
		c.Note(at+"userRef", "the credential stays with user "+have.Spec.UserRef+", because the agent logs in as that user")
	}
}

func secret(w want) string { return w.Ref("Secret", w.Spec.SecretRef).Data[secretKey] }

// compareSecret compares the secret's fingerprint with the fingerprint in the mark. If the mark has none, nothing is
// compared, and the credential is not replaced.
func compareSecret(w want, have *state, c *kind.Changes) {
	print := have.Notes[secretNote]
	if text := secret(w); text != "" && w.CompareFingerprint(print, secretUse, text) == fingerprint.Other {
		c.Add(kind.Change{Field: at + "secretRef", Have: print, Want: w.Fingerprint(secretUse, text), Disruption: kind.Replace, Secret: true})
	}
}

func writeSecret(w want, _ *object, body map[string]any) { body["secret"] = secret(w) }

func compareRoles(w want, have *object, c *kind.Changes) {
	var shown, wanted []string
	for _, name := range w.Spec.RoleRefs {
		ref := w.Ref("Role", name)
		if ref.ID == "" {
			return // as with any immutable reference: nothing is compared while its target does not exist
		}
		wanted = append(wanted, ref.ID)
	}
	for _, role := range have.More.Roles {
		shown = append(shown, role.ID)
	}
	if len(wanted) > 0 {
		kind.Set(c, at+"roleRefs", shown, wanted, kind.Replace)
	}
}

func writeRoles(w want, _ *object, body map[string]any) {
	var roles []any
	for _, name := range w.Spec.RoleRefs {
		roles = append(roles, map[string]any{"id": w.Ref("Role", name).ID})
	}
	if len(roles) > 0 {
		body["roles"] = roles
	}
}

// service returns the type of the service that a rule applies to, or "" while it is unknown.
func (r AccessRule) service(w want) string {
	if r.ServiceRef == "" {
		return r.Service
	}
	return w.Ref("Service", r.ServiceRef).Facts.Name
}

func compareRules(w want, have *object, c *kind.Changes) {
	var shown, wanted []string
	for _, rule := range w.Spec.AccessRules {
		service := rule.service(w)
		if service == "" {
			return
		}
		wanted = append(wanted, rule.Method+" "+service+" "+rule.Path)
	}
	for _, rule := range have.More.AccessRules {
		shown = append(shown, rule.Method+" "+rule.Service+" "+rule.Path)
	}
	kind.Set(c, at+"accessRules", shown, wanted, kind.Replace)
}

func writeRules(w want, _ *object, body map[string]any) {
	var rules []any
	for _, rule := range w.Spec.AccessRules {
		rules = append(rules, map[string]any{"path": rule.Path, "method": rule.Method, "service": rule.service(w)})
	}
	if len(rules) > 0 {
		body["access_rules"] = rules
	}
}

// timeForm is the layout in which Keystone writes times. They are in UTC.
const timeForm = "2006-01-02T15:04:05.000000"

// expiry returns the time at which the credential expires, in the given layout of package time. It returns "" if the
// credential never expires.
func expiry(s *Spec, form string) string {
	t, err := time.Parse(time.RFC3339, table.Or(s.ExpiresAt, ""))
	if err != nil {
		return "" // the manifest gives no time: validate has checked the format
	}
	return t.UTC().Format(form)
}

func compareExpiry(w want, have *object, c *kind.Changes) {
	kind.Fixed(c, at+"expiresAt", have.More.ExpiresAt, expiry(w.Spec, time.RFC3339Nano))
}

func writeExpiry(w want, _ *object, body map[string]any) {
	if text := expiry(w.Spec, timeForm); text != "" {
		body["expires_at"] = text
	}
}
