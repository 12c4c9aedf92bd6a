package kind

import "github.com/stackreeve/stackreeve/internal/pattern"

// Shown is what one entry of clouds.yaml shows of a collection.
type Shown struct {
	// Entry is its name; "" for the stack's main entry.
	Entry string
	// Realm is within what the IDs of the kind are unique; UUIDs are so everywhere.
	Realm string
	Items []Live
	// Err makes the part unknown: then Items means nothing.
	Err error
	// Closed is true when the entry could not log in.
	Closed bool
	// Refused is true when the entry may not list what no manifest asks for there: it
	// has most likely made none, and that is no failure of the pass.
	Refused bool
}

// Join puts together what several entries show of a collection: what more than one of them
// shows is one object. It is the object of the entry that prefer names for it, where that one
// shows it, or else of the first one whose project it belongs to.
func Join(parts []Shown, prefer func(*Live) (entry string, ok bool)) Collection {
	type identity struct{ id, realm string }
	at := map[identity]int{}
	var sights [][]Live
	for _, part := range parts {
		if part.Err != nil {
			continue
		}
		for _, item := range part.Items {
			item.Through = part.Entry
			who := identity{item.ID, part.Realm}
			if uuid.MatchString(item.ID) {
				who.realm = ""
			}
			i, seen := at[who]
			switch {
			case !seen:
				at[who] = len(sights)
				sights = append(sights, []Live{item})
			case sights[i][len(sights[i])-1].Through != part.Entry: // a page boundary that moved shows an object twice
				sights[i] = append(sights[i], item)
			}
		}
	}
	c := Collection{Items: make([]Live, len(sights)), Parts: parts}
	for i := range sights {
		c.Items[i] = oneOf(sights[i], prefer)
	}
	return c
}

// uuid matches the IDs that are unique everywhere.
var uuid = pattern.Of(`^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$`)

// oneOf is the object that several entries show. It belongs to the stack's project where it
// does so for one of them, and bears the mark that one of those reads: the preferred one's, where that reads one.
func oneOf(sights []Live, prefer func(*Live) (string, bool)) Live {
	if len(sights) == 1 {
		return sights[0]
	}
	best := &sights[0]
	for i := range sights {
		if sights[i].InOwnProject && (!best.InOwnProject || best.Mark == nil && sights[i].Mark != nil) {
			best = &sights[i]
		}
	}
	out := *best
	if entry, ok := prefer(best); ok {
		for i := range sights {
			if sights[i].Through == entry {
				if out = sights[i]; out.InOwnProject && out.Mark != nil {
					break
				}
				out.InOwnProject, out.Mark, out.Guarded, out.Copied, out.AlsoListedAs = best.InOwnProject, best.Mark, best.Guarded, best.Copied, best.AlsoListedAs
			}
		}
	}
	out.Also = sights
	return out
}

// As is the object as an entry shows it; nil where that one does not.
func (l *Live) As(entry string) *Live {
	if len(l.Also) == 0 && l.Through == entry {
		return l
	}
	for i := range l.Also {
		if l.Also[i].Through == entry {
			return &l.Also[i]
		}
	}
	return nil
}

// Blind is why it is unknown what an entry shows of the collection; nil where it is known.
func (c Collection) Blind(entry string) error {
	for i := range c.Parts {
		if c.Parts[i].Entry == entry {
			return c.Parts[i].Err
		}
	}
	return c.Err
}

// Shows reports whether it is known what an entry shows of the collection.
func (c Collection) Shows(entry string) bool {
	for i := range c.Parts {
		if c.Parts[i].Entry == entry {
			return c.Parts[i].Err == nil
		}
	}
	return c.Parts == nil && c.Err == nil
}

// Errs are why parts of the collection are unknown.
func (c Collection) Errs() (errs []error) {
	if c.Err != nil {
		errs = append(errs, c.Err)
	}
	for i := range c.Parts {
		if c.Parts[i].Err != nil {
			errs = append(errs, c.Parts[i].Err)
		}
	}
	return errs
}
