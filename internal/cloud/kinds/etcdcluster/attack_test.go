package etcdcluster_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func (w *world) anyAddress() (address string) {
	for at := range w.look() {
		if address == "" || at < address {
			address = at
		}
	}
	return address
}

// A machine claims to be the leader and the only member, and to have newer data than all others. The agent does not
// believe it.
func TestAttackAMachineThatLies(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	address := w.anyAddress()
	w.Target = w.Impostor(address+":2379", func(rw http.ResponseWriter, req *http.Request) {
		header := map[string]string{"cluster_id": "7", "member_id": "7"}
		switch req.URL.Path {
		case "/v3/maintenance/status":
			_ = json.NewEncoder(rw).Encode(map[string]any{"header": header, "leader": "7", "raftAppliedIndex": "99999999999", "version": "9.9.9"})
		case "/v3/cluster/member/list":
			_ = json.NewEncoder(rw).Encode(map[string]any{"header": header, "members": []any{map[string]any{"ID": "7", "name": "x", "peerURLs": []string{"http://" + address + ":2380"}}}})
		default:
			http.NotFound(rw, req)
		}
	})
	for _, size := range []int{3, 5} {
		for _, step := range kindtest.Writes(w.Plan(sized(size))) {
			if size == 3 || !strings.HasPrefix(step, "create ") && !strings.HasPrefix(step, "update Server") {
				t.Errorf("size %d: the plan has %s", size, step)
			}
		}
	}
}

// A machine that claims to lead, and to know other members, cannot make the agent add or remove a member.
func TestAttackAMachineThatClaimsToLead(t *testing.T) {
	for name, dead := range map[string]bool{"all answer": false, "one of the others is dead": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.MustSync(sized(5))
			addresses := slices.Sorted(maps.Keys(w.look()))
			client := etcd.Client{Machines: w.Machines, Port: etcd.ClientPort}
			status, err := client.Status(t.Context(), addresses[0])
			list, listErr := client.Members(t.Context(), addresses[0])
			if err != nil || listErr != nil {
				t.Fatal(err, listErr)
			}
			for i, m := range list.List {
				if m.ID != status.Leader && i > 0 {
					list.List[i].PeerURLs = []string{"http://192.0.2.9:2380"}
					break
				}
			}
			id := func(n uint64) string { return strconv.FormatUint(n, 10) }
			header := map[string]string{"cluster_id": id(status.ClusterID), "member_id": id(status.Leader)}
			liar := addresses[slices.IndexFunc(addresses, func(a string) bool { s, _ := client.Status(t.Context(), a); return s.MemberID != status.Leader })]
			if dead {
				at := slices.IndexFunc(addresses, func(a string) bool {
					s, _ := client.Status(t.Context(), a)
					return a != liar && s.MemberID != status.Leader
				})
				w.Target = w.Impostor(addresses[at]+":2379", http.NotFound)
			}
			w.Target = w.Impostor(liar+":2379", func(rw http.ResponseWriter, req *http.Request) {
				switch req.URL.Path {
				case "/v3/maintenance/status":
					_ = json.NewEncoder(rw).Encode(map[string]any{"header": header, "leader": id(status.Leader), "raftAppliedIndex": "99999999999", "version": "3.5.35"})
				case "/v3/cluster/member/list":
					_ = json.NewEncoder(rw).Encode(map[string]any{"header": header, "members": list.List})
				default:
					http.NotFound(rw, req)
				}
			})
			for _, step := range kindtest.Writes(w.Plan(sized(5))) {
				if strings.Contains(step, "EtcdMember") {
					t.Errorf("the plan has %s", step)
				}
			}
		})
	}
}

// The agent reads only a limited number of bytes of an answer, for a limited time.
func TestAttackEndlessAnswers(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	answers := kindtest.Nonsense()
	maps.Copy(answers, map[string]http.HandlerFunc{
		"endless": func(rw http.ResponseWriter, req *http.Request) {
			for req.Context().Err() == nil {
				if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		},
		"silent": func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			<-req.Context().Done()
		},
		"no members": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"header": {"cluster_id": "x"}, "members": [{"peerURLs": null}, null]}`))
		},
	})
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.MustSync(sized(3))
			w.Target = w.Impostor(w.anyAddress()+":2379", answer)
			if list := kindtest.Writes(w.Plan(sized(3))); len(list) > 0 {
				t.Errorf("the plan has %v", list)
			}
		})
	}
}

// A machine of the stack may have a name like a member's and never be a member. The cluster ignores it.
func TestAttackAMachineOfAMembersName(t *testing.T) {
	w := newWorld(t)
	other := `
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachine, metadata: {name: kv-7}, spec: {image: centos79, flavor: n3-1vcpu-2gb, network: private}}
`
	w.MustSync(sized(3) + other)
	w.settled(3)
	if list := kindtest.Writes(w.Plan(sized(3) + other)); len(list) > 0 {
		t.Errorf("the plan has %v", list)
	}
	w.MustSync(sized(1) + other)
	w.settled(1)
}

// Members that are no longer wanted are not removed while the other members have no majority.
func TestAttackShrinkingWithoutMajority(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorld(t)
	w.MustSync(sized(5))
	wiped := 0
	for _, m := range w.look() {
		if wiped++; wiped <= 3 {
			w.Wipe(m.Disk)
		}
	}
	w.carried(sized(3))
	if machines := len(w.look()); machines != 5 {
		t.Errorf("%d machines are left of 5", machines)
	}
	for _, sin := range w.Sins() {
		t.Error(sin)
	}
}

func TestRefused(t *testing.T) {
	w := newWorld(t)
	w.RefusesEdits("", sized(3), map[string][3]string{
		"no learners":      {"3.5.35", "3.3.1", "spec.version"},
		"no version":       {"3.5.35", "latest", "spec.version"},
		"a fixed setting":  {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_NAME, value: x}]}", "spec.pod.etcdEnv[0].name"},
		"force":            {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_FORCE_NEW_CLUSTER, value: 'true'}]}", "spec.pod.etcdEnv[0].name"},
		"a file":           {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_CONFIG_FILE, value: /x}]}", "spec.pod.etcdEnv[0].name"},
		"no gateway":       {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_ENABLE_GRPC_GATEWAY, value: 'false'}]}", "spec.pod.etcdEnv[0].name"},
		"no check":         {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_STRICT_RECONFIG_CHECK, value: 'false'}]}", "spec.pod.etcdEnv[0].name"},
		"discovery":        {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_DISCOVERY_SRV, value: x}]}", "spec.pod.etcdEnv[0].name"},
		"a log elsewhere":  {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_WAL_DIR, value: /x}]}", "spec.pod.etcdEnv[0].name"},
		"a claim":          {"size: 3", "size: 3, pod: {persistentVolumeClaimSpec: {resources: {requests: {storage: much}}}}", "spec.pod.persistentVolumeClaimSpec.resources.requests.storage"},
		"two storages":     {"size: 3", "size: 3, storage: {size: 1}, pod: {persistentVolumeClaimSpec: {resources: {requests: {storage: 8Gi}}}}", "spec.storage"},
		"too large":        {"size: 3", "size: 11", "spec.size"},
		"a fixed address":  {"size: 3", "size: 3, repository: \"https://mirror.example.org/etcd\"", "spec.repository"},
		"a client's name":  {"10.0.0.0/8", "example.org", "spec.clients[0]"},
		"an unknown field": {"size: 3", "size: 3, replicas: 3", "spec.replicas"},
	})
}

// A version that cannot be downloaded anywhere is refused when the manifest is read. A plan notes a version without a
// checksum.
func TestAVersionThatCannotBeHad(t *testing.T) {
	w := newWorld(t)
	noted := func(manifests string) bool {
		for _, d := range w.Resolve(manifests) {
			if slices.ContainsFunc(d.Notes, func(n kind.Note) bool { return strings.Contains(n.Text, "unchecked") }) {
				return true
			}
		}
		return false
	}
	if !noted(sized(3)) {
		t.Error("nothing says that there is no checksum")
	}
	if noted(sized(3, "checksum: "+strings.Repeat("0a", 32))) {
		t.Error("a checksum is missed that is there")
	}
	w.Defaults.Etcd.Repository = ""
	w.RefusesEdits("", strings.Replace(sized(3), "3.5.35", "3.4.23", 1), map[string][3]string{"no such package": {"3.4.23", "3.5.35", "spec.version"}})
}
