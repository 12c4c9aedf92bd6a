package barbicansecret

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// The name of a secret in Barbican ends like this:
//
//	shop-cert [stackreeve:prod:BarbicanSecret/shop-cert stackreeve-payload:s-…]
//
// The last word is the payload's fingerprint. It ends in :keep if the secret is not deleted when its manifest is
// removed.
const (
	printNote  = mark.OwnerKey + "-payload"
	keepSuffix = ":keep"
)

func marked(own string, m kind.Mark, _, _ string) string {
	if m.Owner == "" {
		return own
	}
	return own + " " + mark.Text(m)
}

// unmarked splits a name into the user's part and the owner mark behind it.
func unmarked(name string) (own string, c mark.Claim) {
	begin := strings.LastIndex(name, " [")
	inside, closed := strings.CutSuffix(name, "]")
	if begin < 0 || !closed {
		return name, c
	}
	owner, note, found := strings.Cut(inside[begin+2:], " ")
	print, isPrint := strings.CutPrefix(note, printNote+":")
	if _, isOwner := ownertext.Parse(owner); !isOwner || found != isPrint || strings.Contains(print, " ") {
		return name, c
	}
	print, keep := strings.CutSuffix(print, keepSuffix)
	own = name[:begin]
	return own, mark.Claim{Mark: mark.Claimed(append(ownertext.In(own), owner), kind.Mark{Keep: keep}), Notes: map[string]string{printNote: print}}
}

// create sends the secret and all its metadata in one request. It then reads the secret, because the answer contains
// only its address.
func create(ctx context.Context, d driver, w want) (*state, error) {
	body := d.Creation(w)
	note := " " + printNote + ":" + w.Fingerprint(payloadUse, payload(w))
	if w.Mark.Keep {
		note += keepSuffix
	}
	text, _ := body["name"].(string)
	body["name"] = strings.TrimSuffix(text, "]") + note + "]"
	made, err := d.Post(ctx, w, body)
	if err != nil {
		return nil, err
	}
	var answer table.Attributes
	if err := d.Client.Do(ctx, cloud.Call{Service: cloud.KeyManager, Method: http.MethodGet, Path: d.Path(made.ID), Into: &answer}); err != nil {
		return nil, err
	}
	return d.Read(answer)
}

// update always fails. The engine calls it only to write the mark on a secret that is adopted.
func update(context.Context, driver, define.Change[Spec, More]) error {
	return fmt.Errorf("%w: Barbican cannot rename a secret, so it cannot get the owner mark; import it with managementPolicy: unmanaged", kind.ErrRejected)
}
