package cloud

import "time"

// SetNow sets the clock of a probe.
func (p *Probe) SetNow(now func() time.Time) { p.now = now }

// SetLogin sets the login of a probe.
func (p *Probe) SetLogin(name string) { p.login = func() string { return name } }
