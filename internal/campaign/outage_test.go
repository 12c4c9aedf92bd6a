package campaign

import (
	"os"
	"path/filepath"
	"time"
)

// outageTime is the duration of an outage.
const outageTime = 20 * time.Minute

// begin begins an outage. The function that it returns ends it.
func (w *world) begin(outage string) (end func()) {
	w.t.Helper()
	switch outage {
	case "cloud-down":
		w.layer.Off(true)
		return func() { w.layer.Off(false) }
	case "git-down":
		return w.away("repo", func(string) {})
	case "forge-down":
		return w.away("status.jsonl", func(path string) { w.must(os.Mkdir(path, 0o755)) })
	case "disk-gone":
		return w.away("data", func(path string) { w.must(os.WriteFile(path, nil, 0o600)) })
	case "two-agents":
		other := w.live("data2")
		return func() { w.end(other) }
	default:
		return func() {}
	}
}

// away moves a file of the world away, and puts something else in its place. The function that it returns brings the file back.
func (w *world) away(name string, instead func(path string)) (back func()) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	moved := os.Rename(path, path+".away") == nil // it may not exist yet
	instead(path)
	return func() {
		w.must(os.RemoveAll(path))
		if moved {
			w.must(os.Rename(path+".away", path))
		}
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// endure waits for the end of an outage.
func (w *world) endure(outage string) {
	w.t.Helper()
	until := time.Now().Add(outageTime)
	for time.Now().Before(until) {
		if outage != "restarts" {
			time.Sleep(time.Minute)
			continue
		}
		time.Sleep(time.Second + time.Duration(w.random.Int64N(int64(9*time.Second))))
		w.now.kill()
		w.restartIfKilled()
	}
}
