package kind

import "net/netip"

// Claim is what a manifest asks for that only one object can have.
type Claim struct {
	Field string // that asks for it
	Of    Ref    // what it is of, such as a subnet
	// What is the thing that is asked for, such as an address, in canonical form; "" for any that is free.
	What string
	By   string // the kind that it shows as who has it: a subnet's addresses are all on ports
	// From is the kind of the giver if any giver on Of will do, as any Subnet of a Network will; "" if Of itself gives it.
	From string
	// Range is true where What is a network, in the notation of CIDR: no other's may overlap it.
	Range bool
	// Remedy says what to do where another object has it, or asks for it; "" for choosing another.
	Remedy string
}

// Overlaps reports whether a claim is to a range of which another, or an address, is a part, or the other way round.
func (c Claim) Overlaps(what string) bool {
	mine, noRange := netip.ParsePrefix(c.What)
	theirs, noOther := netip.ParsePrefix(what)
	return c.Range && noRange == nil && noOther == nil && mine.Overlaps(theirs)
}

// Token is what the object answers to that has it (see [Live.Tokens]); "" while what it is of
// is not there, or is about to be replaced.
func (c Claim) Token() string {
	if c.Of.ID == "" || c.Of.Anew || c.What == "" {
		return ""
	}
	return Held(c.Of.ID, c.What)
}

// Held is the token of an object that has something of another one, which is given by its ID.
func Held(of, what string) string { return of + "/" + what }
