package keystone

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// accessRule is a request that an application credential allows. Equal rules of a user are one rule. A rule
// still exists after the credentials that contain it are deleted.
type accessRule struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Method  string `json:"method"`
	Service string `json:"service"`

	user string
}

// ruleLike returns the rule of a user that equals like, and creates the rule if there is none.
func (k *Keystone) ruleLike(userID string, like accessRule) *accessRule {
	for _, rule := range k.rules {
		if rule.user == userID && rule.Path == like.Path && rule.Method == like.Method && rule.Service == like.Service {
			return rule
		}
	}
	like.ID, like.user = k.cloud.HexID(), userID
	k.rules = append(k.rules, &like)
	return &like
}

func (k *Keystone) listRules(c *oslo.Call) (*oslo.Response, error) {
	if err := k.ownerOnly(c, "list_access_rules"); err != nil {
		return nil, err
	}
	var items []any
	for _, rule := range k.rules {
		if rule.user == c.PathValue("id") {
			items = append(items, rule)
		}
	}
	return list(c, "access_rules", items), nil
}

func (k *Keystone) deleteRule(c *oslo.Call) (*oslo.Response, error) {
	if err := k.ownerOnly(c, "delete_access_rule"); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(k.rules, func(r *accessRule) bool { return r.ID == c.PathValue("rule") && r.user == c.PathValue("id") })
	if i < 0 {
		return nil, notFound("Access Rule", c.PathValue("rule"))
	}
	for cred := range k.credentials.All() {
		if slices.Contains(cred.AccessRules, k.rules[i]) {
			return nil, oslo.Errorf(http.StatusForbidden, "ForbiddenAction", "You are not authorized to perform the requested action: delete_access_rule.")
		}
	}
	k.rules = slices.Delete(k.rules, i, i+1)
	return oslo.NoContent(), nil
}
