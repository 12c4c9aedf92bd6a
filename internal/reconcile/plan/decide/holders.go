package decide

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// holders say which object has something that only one object can have. If that is unknown, nothing is refused here: the cloud refuses it.
type holders struct {
	theirs map[string]map[string]holder // objects of others, by kind and the tokens that they answer to
	// own are the tokens of the stack's own objects, which may make way. An object that the cloud made for one of them, such as the port of a load
	// balancer, is in it by its ID.
	own map[string]bool
	// asking are the objects of the repository, by the objects that they refer to. claimed are their claims on such an object, once they were
	// computed.
	asking  map[manifest.Key][]*kind.Desired
	claimed map[manifest.Key]map[string][]*kind.Desired
}

// holder is an object, with the kind that it was listed as.
type holder struct {
	*kind.Live
	kind string
}

func (h holder) text() string {
	text := h.kind + " " + h.ID
	if h.Name != "" {
		text = fmt.Sprintf("%s %s (%s)", h.kind, printable.Name(h.Name), h.ID)
	}
	if h.Role != "" {
		text += ", " + printable.Line(h.Role)
	}
	return text
}

// goesWith reports whether a holder is the replaced object itself, perhaps listed as another kind, or is deleted with it.
func (h holder) goesWith(have *kind.Live) bool {
	return h.ID == have.ID || h.ServesID == have.ID || slices.Contains(have.Tokens, h.ID)
}

// stranger is the object of another owner that has the claimed thing. No object of the stack answers to the same token.
func (h *holders) stranger(c kind.Claim) (holder, bool) {
	token := c.Token()
	found, ok := h.theirs[c.By][token]
	return found, ok && token != "" && !h.own[token] && !h.own[found.ID]
}

func (w given) findHolders() *holders {
	h := &holders{theirs: map[string]map[string]holder{}, own: map[string]bool{}, asking: w.referring(), claimed: map[manifest.Key]map[string][]*kind.Desired{}}
	strangers := map[string]bool{} // those that stay, by ID
	var candidates []holder
	for name, c := range w.Have {
		if c.Err != nil {
			continue // its items are unknown
		}
		h.theirs[name] = map[string]holder{}
		for i := range c.Items {
			switch item := &c.Items[i]; {
			case w.isOwn(item):
				for _, token := range item.Tokens {
					h.own[token] = true
				}
			case item.Phase != kind.Deleting:
				strangers[item.ID] = true
				candidates = append(candidates, holder{item, name})
			}
		}
	}
	for _, c := range candidates {
		if c.ServesID != "" && !strangers[c.ServesID] {
			continue // it serves an object of the stack, one that is gone since it was listed, or one that is unknown
		}
		for _, token := range c.Tokens {
			h.theirs[c.kind][token] = c
		}
	}
	return h
}

// referring are the objects that the stack makes, by the objects that they refer to.
func (w given) referring() map[manifest.Key][]*kind.Desired {
	by := map[manifest.Key][]*kind.Desired{}
	for i := range w.Want {
		d := &w.Want[i]
		if d.Virtual || d.Unmanaged {
			continue
		}
		for _, ref := range d.Refs {
			if list := by[ref.Key]; len(list) == 0 || list[len(list)-1] != d {
				by[ref.Key] = append(list, d)
			}
		}
	}
	return by
}

// isOwn reports whether an object bears a mark of the stack.
func (w given) isOwn(item *kind.Live) bool {
	for _, text := range item.Mark.Owners() {
		if o, ok := ownertext.Parse(text); ok && o.Of(w.Stack) {
			return true
		}
	}
	return false
}
