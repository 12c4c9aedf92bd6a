package kind

// Shown is the part of a collection that the credentials of one entry of clouds.yaml can see.
type Shown struct {
	// Entry is the name of the entry; "" for the stack's main entry.
	Entry string
	// Realm is the scope within which the IDs of the kind are unique. UUIDs are unique everywhere.
	Realm string
	Items []*Live
	Index *Index // of Items; nil if there is none yet
	// Err is why the part could not be listed. If it is not nil, Items is meaningless.
	Err error
	// Closed is true when the entry could not log in.
	Closed bool
	// Refused is true if the entry may not list the collection, and most likely has created none of its objects, because no manifest describes
	// one through this entry. The part is unknown, but the pass does not fail.
	Refused bool
}

// SeenBy returns the object as an entry shows it; nil if that entry does not show it.
func (l *Live) SeenBy(entry string) *Live {
	if len(l.OtherViews) == 0 && l.Entry == entry {
		return l
	}
	for i := range l.OtherViews {
		if l.OtherViews[i].Entry == entry {
			return &l.OtherViews[i]
		}
	}
	return nil
}

// Unlisted returns why the objects that an entry shows of the collection are unknown; nil if they are
// known.
func (c Collection) Unlisted(entry string) error {
	for i := range c.Parts {
		if c.Parts[i].Entry == entry {
			return c.Parts[i].Err
		}
	}
	return c.Err
}

// Lists reports whether the objects that an entry shows of the collection are known.
func (c Collection) Lists(entry string) bool {
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
