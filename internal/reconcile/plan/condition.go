package plan

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Condition is one of K-ORC's two, Available (can it be used?) and Progressing
// (will something still be done without a person?), or Ready, under which many tools look for Available.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"` // True, False or Unknown
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// LastTransitionTime is since when Status is what it is, in RFC 3339; "" where nobody has watched it.
	LastTransitionTime string `json:"lastTransitionTime,omitempty"`
}

// conditions are those of a step's object. Of what is not in the cloud both have one reason: why it is not there.
func (st states) conditions(s Step, state State) []Condition {
	going := st.progressing(s, state)
	return []Condition{available(s, going), going}
}

func available(s Step, going Condition) Condition {
	c := Condition{Type: "Available", Status: "False", Reason: ReasonProgressing}
	switch {
	case s.condition != "":
		c.Reason, c.Message = s.condition, s.Reason()
	case s.have == nil:
		c.Reason, c.Message = going.Reason, going.Message
		if s.Action == Create && going.Reason == ReasonProgressing {
			c.Message = cmp.Or(s.waiting(), "not in the cloud yet")
		}
		if s.Error && s.Action == Wait {
			c.Status = "Unknown"
		}
	case s.have.Phase == kind.Ready && s.have.Message == "":
		c.Status, c.Reason, c.Message = "True", ReasonSuccess, "OpenStack resource is available"
	case s.have.Down != "":
		c.Reason, c.Message = ReasonDown, s.have.Down+": "+s.have.Message
	case s.have.Phase == kind.Ready, s.have.Phase == kind.Degraded:
		c.Status, c.Reason, c.Message = "True", ReasonSuccess, "usable, but the cloud reports: "+s.have.Message
	case s.have.Phase == kind.Failed:
		c.Reason, c.Message = ReasonFailed, "failed: "+s.have.Message
	case s.have.Phase == kind.Begun: // only the agent can finish it
		c.Reason, c.Message = going.Reason, strings.TrimSpace(string(s.have.Phase)+" "+s.have.Message)
	default:
		c.Message = strings.TrimSpace(string(s.have.Phase) + " " + s.have.Message)
	}
	return c
}

// progressing says whether the agent goes on with a step's object, and else why not.
func (st states) progressing(s Step, state State) Condition {
	if reason, message := st.stopped(s, state); reason != "" {
		return Condition{Type: "Progressing", Status: "False", Reason: reason, Message: message}
	}
	c := Condition{Type: "Progressing", Status: "True", Reason: ReasonProgressing, Message: s.waiting()}
	switch {
	case s.failed.Text != "":
		c.Reason, c.Message = s.failed.Reason, s.failed.Text
	case s.Action == Wait && s.Error && s.condition == "":
		c.Reason = ReasonTransient
	case s.Action == Create:
		c.Message = cmp.Or(s.Reason(), "to be created")
	case s.Action == Update:
		c.Message = s.updating()
	case s.Action == Recreate:
		c.Message = "to be deleted and made again: " + s.Reason()
	case s.Action == Delete:
		c.Message = "to be deleted: " + s.Reason()
	case s.Action == Detach:
		c.Message = "to be let go: " + s.Reason()
	}
	return c
}

// stopped says why the agent does nothing more for a step's object: it is up to date, or a person has to act first. The reason
// is "" if the agent goes on.
func (st states) stopped(s Step, state State) (reason, message string) {
	waits := s.Action == Wait && len(s.Awaits) > 0 && !s.Error
	switch {
	case state == StateHeld, st.held && waits:
		return ReasonHeld, "held with the whole plan until somebody approves: " + s.message()
	case state == StateDiffers, state == StateSuspended, st.off && waits:
		return ReasonSuspended, s.message()
	case state == StateOutdated:
		return ReasonOutdated, s.message()
	case s.Action == Keep && s.Drift:
		return ReasonDrifted, s.message()
	case s.Action == Keep && len(s.Changes) > 0:
		return ReasonRefused, s.message()
	case s.failed.Reason != "" && s.failed.Reason != ReasonTransient:
		return s.failed.Reason, s.failed.Text
	case s.failed.Text != "" || s.condition == ReasonProgressing:
		return "", ""
	case s.condition != "":
		return s.condition, s.waiting()
	case s.Action == Keep:
		return ReasonSuccess, cmp.Or(s.Reason(), s.entrusted(), "OpenStack resource is up to date")
	case s.Action == Refuse && s.Error:
		return ReasonFatal, s.waiting()
	case s.Action == Refuse:
		return ReasonRefused, s.waiting()
	}
	return "", ""
}

// entrusted names the fields that the annotation ignore-fields leaves to the cloud; "" without any.
func (s Step) entrusted() string {
	if s.want == nil || len(s.want.Options.Ignore) == 0 {
		return ""
	}
	return "up to date, except for what " + resolve.AnnotationIgnore + " leaves to the cloud: " + strings.Join(s.want.Options.Ignore, ", ")
}

// waiting is the reason of a step; where it only waits for another object, as K-ORC says that.
func (s Step) waiting() string {
	if s.Action == Wait && len(s.Awaits) == 1 && s.Causes.Is(cause.WaitsFor) {
		return "Waiting for " + s.Awaits[0].String() + " to be ready"
	}
	return s.Reason()
}

func fieldNames(changes []kind.Change) string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
	}
	return strings.Join(names, ", ")
}
