package cloud

import "time"

// SetNow sets the clock of a probe.
func (p *Probe) SetNow(now func() time.Time) { p.now = now }
