package m3

import "net/http"

// readsFor is how often a node is asked until it has read its data.
const readsFor = 3

// ServeNode answers as the node itself at an address does, of which it says only whether it has its data; ok is false where nobody does.
func (w *World) ServeNode(address string, rw http.ResponseWriter, req *http.Request) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.Machine(address)
	if m == nil {
		return false
	}
	w.asked[m.Boot]++
	switch {
	case req.URL.Path != "/bootstrapped":
		http.NotFound(rw, req)
	case w.whole(w.instanceOf(m)):
		reply(rw, http.StatusOK, struct{}{})
	default:
		reply(rw, http.StatusInternalServerError, map[string]any{"error": map[string]string{"message": "node is not bootstrapped"}})
	}
	w.count()
	return true
}

// instanceOf is what the node of a machine is in a placement; nil for nothing.
func (w *World) instanceOf(m *Machine) *instance {
	for _, c := range w.clusters {
		if i := c.find(m.ID); i != nil {
			return i
		}
	}
	return nil
}

// whole reports whether an instance runs, and has all of its shards and what is in them.
func (w *World) whole(i *instance) bool {
	if i == nil || !i.settled() {
		return false
	}
	m := w.node(i)
	return m != nil && w.asked[m.Boot] >= readsFor
}

// wholes is how many instances do.
func (w *World) wholes() (n int) {
	for _, c := range w.clusters {
		for _, i := range c.instances {
			if w.whole(i) {
				n++
			}
		}
	}
	return n
}

func (w *World) count() { w.least = min(w.least, w.wholes()) }

// Watch counts the nodes that have their data, from now on.
func (w *World) Watch() { w.mu.Lock(); defer w.mu.Unlock(); w.least = w.wholes() }

// Least is how many had it at the worst moment.
func (w *World) Least() int { w.mu.Lock(); defer w.mu.Unlock(); return w.least }
