package m3

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// InstanceID is what a placement calls the instance of a machine: by its name, the volume that its data is on, and its address.
// A placement replaces an instance by one of another ID only, and never changes where it is, so another disk or another address
// is another instance. "" while either is not known.
func InstanceID(machine, volumeID, address string) string {
	if len(volumeID) < volumeDigits || address == "" {
		return ""
	}
	return machine + "." + strings.ToLower(volumeID[:volumeDigits]) + "@" + address
}

// volumeDigits is how much of a volume's ID machines see as the serial number of its disk, at least.
const volumeDigits = 8

var instanceID = pattern.Of(`^(.+-[0-9]{1,4})\.[0-9a-f]{8}@[0-9a-fA-F.:]+$`)

// MachineOf is the machine whose instance an ID is of; "" for one that [InstanceID] does not give.
func MachineOf(id string) string {
	if parts := instanceID.FindStringSubmatch(id); parts != nil {
		return parts[1]
	}
	return ""
}

// PortOf is where the node of an instance listens to others. It differs with the disk: a node that takes the place of one
// at the same address asks that one for its data, too, for each block of each shard. Where nobody listens any more it goes on at once; if that were
// itself, it would be refused by itself, and try again for 8 s or more each time. (src/dbnode/client/session.go)
func PortOf(id string) int {
	sum := sha256.Sum256([]byte(id))
	return FirstOwnPort + int(binary.BigEndian.Uint32(sum[:4])%(LastOwnPort-FirstOwnPort+1))
}

// Environment is where a cluster keeps its data in etcd, as m3db-operator has it.
func Environment(namespace, cluster string) string { return namespace + "/" + cluster }

var namable = pattern.Of(`[^a-z0-9.-]+`)

// NamespaceObject is the name of the object that stands for a namespace of a cluster. Namespaces can be called what no object can.
func NamespaceObject(cluster, namespace string) string {
	plain := strings.Trim(namable.ReplaceAllString(strings.ToLower(namespace), "-"), "-.")
	if plain == namespace && len(plain) <= maxPlain {
		return cluster + "-" + plain
	}
	sum := sha256.Sum256([]byte(namespace))
	return cluster + "-" + strings.TrimRight(plain[:min(len(plain), maxPlain)], "-.") + "-" + hex.EncodeToString(sum[:4])
}

// maxPlain is how much of a namespace's name is in that of its object.
const maxPlain = 40
