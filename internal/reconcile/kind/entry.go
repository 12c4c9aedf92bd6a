package kind

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
