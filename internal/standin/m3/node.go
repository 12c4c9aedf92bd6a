package m3

import "net/http"

// readsFor is the number of questions after which a node has read its data.
const readsFor = 3

// ServeNode answers as the node at an address. The answer only reports whether the node has its data. ok is false if there is no answer.
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

// instanceOf returns the instance of a machine's node in a placement, or nil.
func (w *World) instanceOf(m *Machine) *instance {
	for _, c := range w.clusters {
		if i := c.find(m.ID); i != nil {
			return i
		}
	}
	return nil
}

// whole reports whether an instance runs and has all its shards with their data.
func (w *World) whole(i *instance) bool {
	if i == nil || !i.settled() {
		return false
	}
	m := w.node(i)
	return m != nil && w.asked[m.Boot] >= readsFor
}

// wholes returns the number of instances for which whole is true.
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

// Watch starts to record the smallest number of nodes that have their data.
func (w *World) Watch() { w.mu.Lock(); defer w.mu.Unlock(); w.least = w.wholes() }

// Least returns the smallest number of nodes that had their data at any time since Watch was called.
func (w *World) Least() int { w.mu.Lock(); defer w.mu.Unlock(); return w.least }
