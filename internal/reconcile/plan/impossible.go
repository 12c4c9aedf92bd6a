package plan

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// impossible says why the cloud will refuse to make an object, as far as that shows in
// what it refers to; "" for nothing. have is the one that it takes the place of; nil for none. What cannot be made is not asked for, and nothing is
// deleted to make room for it.
func (p *planner) impossible(d *kind.Desired, have *kind.Live[any], view kind.Want[any]) string {
	judge, ok := p.kinds[d.Key.Kind].(kind.AnyJudge)
	if !ok {
		return ""
	}
	if why := judge.Impossible(view); why != "" {
		return why
	}
	for _, c := range judge.Alone(view) {
		if why := p.takenAlready(d, have, c); why != "" {
			return fmt.Sprintf("%s: %s of %s/%s is %s", c.Field, printable.Name(c.What), c.Of.Key.Kind, c.Of.Name, why)
		}
	}
	return ""
}

// takenAlready says who has, or asks for, what only one object can have; "" for nobody.
func (p *planner) takenAlready(d *kind.Desired, have *kind.Live[any], c kind.Claim) string {
	if p.holders == nil {
		p.holders = p.findHolders()
	}
	if other := p.rival(d, c); other != nil {
		return fmt.Sprintf("also asked for by %s (%s); choose another for one of them", other.Key, other.Origin)
	}
	holder, found := p.holders.theirs[c.Token()]
	if !found || holder.Live == have || holder.Phase == kind.Deleting || p.holders.own[holder.ID] {
		return ""
	}
	return fmt.Sprintf("taken by %s, which stack %s did not make; choose another", holder.text(), p.Stack)
}

// holders are who has what only one object can have.
type holders struct {
	theirs map[string]holder // objects of others, by the tokens that they answer to
	// own are the tokens of the stack's own objects, which may make way. What the cloud made
	// for one of them, as it makes the port of a load balancer, is named by its ID there.
	own map[string]bool
	// asking are the objects of the repository by what they refer to, claimed what they ask
	// for of that, where somebody asked.
	asking  map[manifest.Key][]*kind.Desired
	claimed map[manifest.Key]map[string][]*kind.Desired
}

// holder is an object with the kind that it was listed as.
type holder struct {
	*kind.Live[any]
	kind string
}

func (h holder) text() string {
	text := h.kind + " " + h.ID
	if h.Name != "" {
		text = fmt.Sprintf("%s %s (%s)", h.kind, printable.Name(h.Name), h.ID)
	}
	if h.Role != "" {
		text += ", " + printable.Name(h.Role)
	}
	return text
}

func (p *planner) findHolders() *holders {
	h := &holders{theirs: map[string]holder{}, own: map[string]bool{},
		asking: map[manifest.Key][]*kind.Desired{}, claimed: map[manifest.Key]map[string][]*kind.Desired{}}
	for _, name := range p.names {
		items := p.Have[name].Items
		for i := range items {
			own := p.isOwn(&items[i])
			for _, token := range items[i].Tokens {
				if own {
					h.own[token] = true
				} else {
					h.theirs[token] = holder{&items[i], name}
				}
			}
		}
	}
	for i := range p.Want {
		d := &p.Want[i]
		if d.Virtual || d.Unmanaged {
			continue
		}
		for _, ref := range d.Refs {
			if list := h.asking[ref.Key]; len(list) == 0 || list[len(list)-1] != d {
				h.asking[ref.Key] = append(list, d)
			}
		}
	}
	return h
}

// isOwn reports whether an object bears a mark of the stack.
func (p *planner) isOwn(item *kind.Live[any]) bool {
	for _, text := range item.Mark.Owners() {
		if o, ok := kind.ParseOwner(text); ok && o.Of(p.Stack) {
			return true
		}
	}
	return false
}

// rival is another object of the repository that asks for the same; nil for none. What both
// refer to is decided before them, so that all is known of it.
func (p *planner) rival(d *kind.Desired, c kind.Claim) *kind.Desired {
	of := c.Of.Key
	asked, done := p.holders.claimed[of]
	if !done {
		asked = map[string][]*kind.Desired{}
		for _, other := range p.holders.asking[of] {
			judge, ok := p.kinds[other.Key.Kind].(kind.AnyJudge)
			if !ok {
				continue
			}
			for _, claim := range judge.Alone(kind.NewWant(other, other.Spec, kind.Mark{}, kind.Surroundings{Scene: p.scene})) {
				if claim.Of.Key == of {
					asked[claim.What] = append(asked[claim.What], other)
				}
			}
		}
		p.holders.claimed[of] = asked
	}
	for _, other := range asked[c.What] {
		if other.Key != d.Key {
			return other
		}
	}
	return nil
}
