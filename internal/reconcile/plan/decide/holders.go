package decide

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// holders says which object has a value, such as an address, that only one object can have. If the holder is unknown, the plan does not
// refuse the claim, and the cloud may refuse it.
type holders struct {
	world worldReader
	// own are the tokens ([kind.Live.Tokens]) of the stack's own objects, which do not make a claim impossible. For an object that the
	// cloud created for one of them, such as the port of a load balancer, own contains its ID.
	own map[string]bool
	// referrers are the objects of the repository, by the objects that they refer to. claimed caches the claims on such an object.
	referrers map[manifest.Key][]*kind.Desired
	claimed   map[manifest.Key]map[string][]*kind.Desired
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

// deletedWith reports whether the holder is the replaced object itself, perhaps listed as another kind, or is deleted together with it.
func (h holder) deletedWith(have *kind.Live) bool {
	return h.ID == have.ID || h.ServesID == have.ID || slices.Contains(have.Tokens, h.ID)
}

// foreignHolder returns the object of another owner that has the claimed value. If an object of the stack has the same token, it returns none.
func (h *holders) foreignHolder(c kind.Claim) (holder, bool) {
	token := c.Token()
	if token == "" || h.own[token] || h.world.Cloud.Collection(c.HolderKind) == nil || h.world.Have[c.HolderKind].Err != nil {
		return holder{}, false // the items of a list that failed are unknown
	}
	var found *kind.Live
	for item := range h.world.Cloud.Collection(c.HolderKind).WithToken(token) {
		if h.world.isStranger(item) && (item.ServesID == "" || h.world.servesStranger(item.ServesID)) {
			found = item
		}
	}
	return holder{found, c.HolderKind}, found != nil && !h.own[found.ID]
}

// isStranger reports whether an object belongs to another owner and is not being deleted.
func (w worldReader) isStranger(item *kind.Live) bool {
	return item.Phase != kind.Deleting && !w.isOwn(item)
}

// servesStranger reports whether the served object, which has the ID, belongs to another owner. Otherwise it is the stack's, was deleted
// since it was listed, or is unknown.
func (w worldReader) servesStranger(id string) bool {
	for name, c := range w.Have {
		if c.Err != nil {
			continue
		}
		for item := range w.Cloud.Collection(name).All(id) {
			if w.isStranger(item) {
				return true
			}
		}
	}
	return false
}

func (w worldReader) findHolders() *holders {
	h := &holders{world: w, own: map[string]bool{}, referrers: w.referring(), claimed: map[manifest.Key]map[string][]*kind.Desired{}}
	for name, c := range w.Have {
		if c.Err != nil {
			continue // its items are unknown
		}
		for item := range w.Cloud.Bearing(name) {
			if w.isOwn(item) {
				for _, token := range item.Tokens {
					h.own[token] = true
				}
			}
		}
	}
	return h
}

// referring returns the objects that the stack creates, by the objects that they refer to.
func (w worldReader) referring() map[manifest.Key][]*kind.Desired {
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

// isOwn reports whether an object has a mark of the stack.
func (w worldReader) isOwn(item *kind.Live) bool {
	for _, text := range item.Mark.Owners() {
		if o, ok := ownertext.Parse(text); ok && o.Of(w.Stack) {
			return true
		}
	}
	return false
}
