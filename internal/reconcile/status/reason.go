package status

import (
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The reasons of conditions that K-ORC has, too. (k-orc/openstack-resource-controller
// api/v1alpha1/conditions.go)
const (
	ReasonSuccess     = "Success"
	ReasonProgressing = "Progressing"
	ReasonTransient   = "TransientError"
	ReasonInvalid     = "InvalidConfiguration"
	ReasonFatal       = "UnrecoverableError"
)

// Reasons that K-ORC does not have.
const (
	ReasonOutdated  = "Outdated"
	ReasonSuspended = "Suspended"
	ReasonHeld      = "AwaitingApproval"
	ReasonDrifted   = "Drifted"
	ReasonRefused   = "Refused"
	ReasonQuota     = "QuotaExceeded"
	ReasonForbidden = "Forbidden"
	ReasonDown      = "NotServing"
	ReasonFailed    = "Failed"
)

// Meaning is a reason of conditions, with its meaning.
type Meaning struct{ Reason, Means string }

var reasons = []Meaning{
	{ReasonSuccess, "nothing has to be done"},
	{ReasonOutdated, "the strategy of its group does not change the object now; the message says until when"},
	{ReasonSuspended, "nothing is done while the object or the stack is suspended"},
	{ReasonProgressing, "not done yet; the agent or the cloud continues automatically"},
	{ReasonTransient, "the cloud could not be asked, did not answer, or was not ready in time; the agent tries again"},
	{ReasonHeld, "held with the whole plan until somebody approves it"},
	{ReasonDrifted, "changed or deleted in the cloud, and only reported; correct the manifest or the cloud, or let drift be corrected"},
	{ReasonRefused, "not done unless a person allows it; the message says how, or when it is allowed"},
	{ReasonQuota, "the quota is exceeded, or no address is free; each pass tries again"},
	{ReasonForbidden, "the credentials do not allow the step"},
	{ReasonInvalid, "the cloud rejects the manifest, or the manifest is ambiguous; change it"},
	{ReasonDown, "the object exists, but is stopped or switched off; a person has to start it"},
	{ReasonFailed, "the object is broken in the cloud, and the message has the cloud's reason; `Progressing` says whether the object is recreated. For a stack, the last pass failed"},
	{ReasonFatal, "the step is impossible, or the object cannot be used, until a person changes the manifest or the cloud"},
}

// Reasons returns all reasons that conditions can have, the gravest last.
func Reasons() []Meaning { return slices.Clone(reasons) }

func isWorse(a, b string) bool { return gravityOf(a) > gravityOf(b) }

func gravityOf(reason string) int {
	return slices.IndexFunc(reasons, func(r Meaning) bool { return r.Reason == reason })
}

// reasonOfObstacle contains the reasons why an object cannot be used if manifests only refer to it.
var reasonOfObstacle = map[plan.Obstacle]string{plan.NotYet: ReasonProgressing, plan.Never: ReasonFatal, plan.Ambiguous: ReasonInvalid}

// Fault is the reason why a pass could not carry out a step. Text is for people, and Reason is the reason of a condition.
type Fault struct{ Text, Reason string }

// FaultOf returns the fault for an error.
func FaultOf(err error) Fault {
	f := Fault{err.Error(), ReasonTransient}
	switch {
	case errors.Is(err, kind.ErrExhausted):
		f.Reason = ReasonQuota
	case errors.Is(err, kind.ErrForbidden):
		f.Reason = ReasonForbidden
	case errors.Is(err, kind.ErrNoService):
		f.Reason = ReasonFatal
	case errors.Is(err, kind.ErrRejected):
		f.Reason = ReasonInvalid
	}
	return f
}
