package mark

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// PropertyPlace is the place of a mark in one property of an image. The property also contains the
// ID of the image that the mark was written on. Nova and Cinder copy the properties of an image to
// objects that are created from it, and from these objects to their images.
//
//	stackreeve: "stackreeve:prod:Image/web stackreeve-applied:abc… stackreeve-self:4690…"
var PropertyPlace = PlaceIn(OwnerKey,
	func(value any) (any, Claim) {
		text, _ := value.(string) // anyone who may write it can write any value
		c, ok := ReadIdentity(text)
		if !ok {
			return nil, Claim{}
		}
		c.Project, c.Self = "", c.Notes[SelfKey]
		if nothingApplied(c.Notes[AppliedKey]) {
			c.Mark.Applied = kind.HalfMade
		}
		return nil, c
	},
	func(_ any, m kind.Mark, id, _ string) any {
		if m.Owner == "" {
			return nil
		}
		return m.Owner + " " + appliedPrefix + appliedText(m) + " " + SelfKey + ":" + id
	})
