package kind

import "net/netip"

// Claim is a value, such as an address, that a manifest asks for and that only one object can have.
type Claim struct {
	Field string // the manifest's field that asks for the value
	Owner Ref    // the object that the value belongs to, such as a subnet
	// Value is the claimed value, such as an address, in canonical form; "" if any free value will do.
	Value      string
	HolderKind string // the kind whose objects show who has the value: ports show the addresses of a subnet
	// From is the kind of the objects that provide the value, if these belong to Owner: each Subnet of a Network provides
	// addresses. It is "" if Owner itself provides the value.
	From string
	// Range is true if the value is a network in CIDR notation: it must not overlap another object's network.
	Range bool
	// Remedy says what to do if another object has the value or asks for it; "" if choosing another value is the remedy.
	Remedy string
}

// Overlaps reports whether the claim is a range that overlaps the range other, in CIDR notation.
func (c Claim) Overlaps(other string) bool {
	mine, noRange := netip.ParsePrefix(c.Value)
	theirs, noOther := netip.ParsePrefix(other)
	return c.Range && noRange == nil && noOther == nil && mine.Overlaps(theirs)
}

// Token is the token of the object that has the claimed value (see [Live.Tokens]). It is "" if any free value will do, and
// while Owner does not exist or is about to be replaced.
func (c Claim) Token() string {
	if c.Owner.ID == "" || c.Owner.Replacing || c.Value == "" {
		return ""
	}
	return ValueToken(c.Owner.ID, c.Value)
}

// ValueToken returns the token of the object that has the value, such as a port with an address of a subnet. owner is the ID of the object to which the
// value belongs: of the subnet.
func ValueToken(owner, value string) string { return owner + "/" + value }
