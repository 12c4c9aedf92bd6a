package status

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Condition is a condition of an object. K-ORC has two: Available reports whether the object can be used, and Progressing reports whether
// something will be done without a person. Ready is a copy of Available, since many tools look for it.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // True, False or Unknown
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// LastTransitionTime is the time since which Status has this value, in RFC 3339; "" if the change was not observed.
	LastTransitionTime string `json:"lastTransitionTime,omitempty"`
}

// available returns the condition Available for the object of a step. If the object is not in the cloud, both conditions have the same
// reason: the reason why it is missing.
func (s subject) available(going Condition) Condition {
	c := Condition{Type: "Available", Status: "False", Reason: ReasonProgressing}
	switch {
	case s.obstacle != "":
		c.Reason, c.Message = reasonOfObstacle[s.obstacle], s.FullCause()
	case s.have == nil:
		c.Reason, c.Message = going.Reason, going.Message
		if s.Action == plan.Create && going.Reason == ReasonProgressing {
			c.Message = cmp.Or(s.waitText(), "not in the cloud yet")
		}
		if s.Error && s.Action == plan.Wait {
			c.Status = "Unknown"
		}
	case s.have.Phase == kind.Ready && s.have.Message == "":
		c.Status, c.Reason, c.Message = "True", ReasonSuccess, "OpenStack resource is available"
	case s.have.Down != "":
		c.Reason, c.Message = ReasonDown, s.have.Down+": "+s.have.Message
	case s.have.Phase == kind.Ready, s.have.Phase == kind.Degraded:
		c.Status, c.Reason, c.Message = "True", ReasonSuccess, "usable, but the cloud reports this: "+s.have.Message
	case s.have.Phase == kind.Failed:
		c.Reason, c.Message = ReasonFailed, "failed: "+s.have.Message
	case s.have.Phase == kind.Begun: // only the agent can finish such an object
		c.Reason, c.Message = going.Reason, strings.TrimSpace(string(s.have.Phase)+" "+s.have.Message)
	default:
		c.Message = strings.TrimSpace(string(s.have.Phase) + " " + s.have.Message)
	}
	return c
}

// progressing returns the condition Progressing: whether the agent continues with a step's object, or else the reason why not.
func (s subject) progressing(h halt, state State) Condition {
	if reason, message := s.stopped(h, state); reason != "" {
		return Condition{Type: "Progressing", Status: "False", Reason: reason, Message: message}
	}
	c := Condition{Type: "Progressing", Status: "True", Reason: ReasonProgressing, Message: s.waitText()}
	switch {
	case s.fault.Text != "":
		c.Reason, c.Message = s.fault.Reason, s.fault.Text
	case s.Action == plan.Wait && s.Error && s.obstacle == "":
		c.Reason = ReasonTransient
	case s.Action == plan.Create:
		c.Message = cmp.Or(s.FullCause(), s.changeText())
	case s.Action == plan.Update:
		c.Message = s.changeText()
	case s.Action == plan.Recreate, s.Action == plan.Delete, s.Action == plan.Detach:
		c.Message = s.changeText() + ": " + s.FullCause()
	}
	return c
}

// stopped returns the reason why the agent does nothing more for a step's object: it is up to date, or a person must act first. The reason
// is "" if the agent continues.
func (s subject) stopped(h halt, state State) (reason, message string) {
	waits := s.Action == plan.Wait && len(s.Awaits) > 0 && !s.Error
	switch {
	case state == StateHeld, h.held && waits:
		return ReasonHeld, "held with the whole plan until somebody approves: " + s.allTexts()
	case state == StateDiffers, state == StateSuspended, h.suspended && waits:
		return ReasonSuspended, s.allTexts()
	case state == StateOutdated:
		return ReasonOutdated, s.allTexts()
	case s.Action == plan.Keep && s.Drift:
		return ReasonDrifted, s.allTexts()
	case s.Reported():
		return ReasonRefused, s.allTexts()
	case s.fault.Reason != "" && s.fault.Reason != ReasonTransient:
		return s.fault.Reason, s.fault.Text
	case s.fault.Text != "" || s.obstacle == plan.NotYet:
		return "", ""
	case s.obstacle != "":
		return reasonOfObstacle[s.obstacle], s.waitText()
	case s.Action == plan.Keep:
		return ReasonSuccess, cmp.Or(s.FullCause(), s.ignoredText(), upToDate)
	case s.Action == plan.Refuse && s.Error:
		return ReasonFatal, s.waitText()
	case s.Action == plan.Refuse:
		return ReasonRefused, s.waitText()
	}
	return "", ""
}

// upToDate is K-ORC's message for an object that needs no change.
const upToDate = "OpenStack resource is up to date"
