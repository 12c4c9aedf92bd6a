package main

// A row is one line of a table: a measurement of one benchmark.
type row struct {
	measures  string // the text of the first column; it identifies the row
	wanted    string // the figure to aim at; "" if there is none
	folder    string // the folder of its package
	benchmark string // as `go test` prints it, without "Benchmark" and the number of processors
	unit      string // as `go test` prints it
	factor    float64
	suffix    string // after the figure
	plotted   bool   // also as a line by the columns of the table
}

// tables are the tables of the page, by the name in their comments.
func tables() map[string][]row {
	return map[string][]row{
		"process": {
			{"requests of a new process that finds 30 unchanged machines and a load balancer", "25", "cmd/agent", "SideBySide/stackreeve", "check-requests/op", 1, "", false},
			{"the same for 31 machines, with the `--data-dir` of an earlier process", "25", "cmd/agent", "NoChangeKept", "requests/op", 1, "", false},
			{"a new process, 1,000 unchanged machines", "30", "cmd/agent", "NoChange", "requests/op", 1, "", false},
			{"its peak memory", "", "cmd/agent", "NoChange", "peak-MiB", 1, " MiB", false},
			{"its peak memory without the pages of its binary", "", "cmd/agent", "NoChange", "own-peak-MiB", 1, " MiB", false},
			{"its CPU time", "", "cmd/agent", "NoChange", "cpu-s/op", 1, " s", false},
			{"2,000 machines created from nothing: peak memory", "100 MiB", "cmd/agent", "Create/2000", "peak-MiB", 1, " MiB", false},
			{"the same: CPU time", "5 s", "cmd/agent", "Create/2000", "cpu-s/op", 1, " s", false},
			{"start of the process to its first request", "200 ms", "cmd/agent", "Start", "ms-to-first-request", 1, " ms", false},
			{"from the webhook of a push until the first request to the cloud, with the fetch", "250 ms", "cmd/agent", "Webhook", "ms-to-first-request", 1, " ms", false},
			{"the same while a pass waits for machines, and each answer of the cloud takes 0.5 s: p99", "1 s", "cmd/agent", "WebhookWhileWaiting", "ms-p99", 1, " ms", false},
			{"memory of an idle agent, with the pages of its binary", "", "cmd/agent", "Idle", "idle-MiB", 1, " MiB", false},
			{"the same without the pages of its binary", "15 MiB", "cmd/agent", "Idle", "own-MiB", 1, " MiB", false},
			{"size of the binary", "64 MB", "cmd/agent", "Idle", "binary-MB", 1, " MB", false},
		},
		"parts": {
			{"plan of 10,000 objects, one in a hundred differs: time", "500 ms", "internal/reconcile/engine", "Plan", "ns/op", 1e-6, " ms", false},
			{"the same: memory allocated", "18 MB", "internal/reconcile/engine", "Plan", "B/op", 1e-6, " MB", false},
			{"load of 10,000 manifests from 1,000 files", "", "internal/manifest", "Load", "ns/op", 1e-6, " ms", false},
			{"poll that finds no new commit, over HTTP", "", "internal/source", "NoChangeFetch", "ns/op", 1e-6, " ms", false},
			{"clone of 1,000 files over HTTP, into memory", "", "internal/source", "Clone/http/memory", "ns/op", 1e-6, " ms", false},
		},
		"side-by-side": {
			{"create: time", "", "cmd/agent", "SideBySide/*", "create-s/op", 1, " s", false},
			{"create: requests", "", "cmd/agent", "SideBySide/*", "create-requests/op", 1, "", false},
			{"create: requests that write", "", "cmd/agent", "SideBySide/*", "create-writes/op", 1, "", false},
			{"create: CPU time of the tool", "", "cmd/agent", "SideBySide/*", "create-cpu-s/op", 1, " s", false},
			{"create: peak memory of the tool, without its provider process", "", "cmd/agent", "SideBySide/*", "create-peak-MiB", 1, " MiB", false},
			{"check that nothing has changed: time", "", "cmd/agent", "SideBySide/*", "check-s/op", 1, " s", false},
			{"check: requests", "", "cmd/agent", "SideBySide/*", "check-requests/op", 1, "", false},
			{"check: CPU time of the tool", "", "cmd/agent", "SideBySide/*", "check-cpu-s/op", 1, " s", false},
			{"check: peak memory of the tool, without its provider process", "", "cmd/agent", "SideBySide/*", "check-peak-MiB", 1, " MiB", false},
		},
		"machines": {
			{"CPU time, s", "", "cmd/agent", "Create/*", "cpu-s/op", 1, "", true},
			{"peak memory, MiB", "", "cmd/agent", "Create/*", "peak-MiB", 1, "", true},
			{"peak memory without the pages of the binary, MiB", "", "cmd/agent", "Create/*", "own-peak-MiB", 1, "", false},
		},
		"stacks": {
			{"requests", "", "cmd/agent", "Stacks/*", "requests/op", 1, "", false},
			{"CPU time, s", "", "cmd/agent", "Stacks/*", "cpu-s/op", 1, "", true},
			{"peak memory, MiB", "", "cmd/agent", "Stacks/*", "peak-MiB", 1, "", true},
			{"peak memory without the pages of the binary, MiB", "", "cmd/agent", "Stacks/*", "own-peak-MiB", 1, "", false},
			{"time until all are in sync, s", "", "cmd/agent", "Stacks/*", "s-to-in-sync/op", 1, "", false},
		},
	}
}

// columns are the values of the "*" of the benchmarks of a table; none for a table with one column of figures.
func columns() map[string][]string {
	return map[string][]string{
		"side-by-side": {"stackreeve", "opentofu"},
		"machines":     {"1000", "2000", "5000"},
		"stacks":       {"50", "200", "1000"},
	}
}
