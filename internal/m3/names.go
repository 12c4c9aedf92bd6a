package m3

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// InstanceID returns the ID of a machine's instance in a placement. It consists of the machine's name, the
// volume with its data, and its address. A placement cannot change the address of an instance; it can only
// replace the instance by one with another ID. So a machine with another disk or another address is another
// instance. InstanceID returns "" if the volume or the address is not known.
func InstanceID(machine, volumeID, address string) string {
	if len(volumeID) < volumeDigits || address == "" {
		return ""
	}
	return machine + "." + strings.ToLower(volumeID[:volumeDigits]) + "@" + address
}

// volumeDigits is the number of digits of a volume's ID that every machine sees in the serial number of its
// disk.
const volumeDigits = 8

var instanceID = pattern.Of(`^(.+-[0-9]{1,4})\.[0-9a-f]{8}@[0-9a-fA-F.:]+$`)

// MachineOf returns the machine of an instance ID. It returns "" for an ID that does not come from [InstanceID].
func MachineOf(id string) string {
	if parts := instanceID.FindStringSubmatch(id); parts != nil {
		return parts[1]
	}
	return ""
}

// PortOf returns the port on which the node of an instance listens for other nodes. Another disk means another
// port. The reason is a node that replaces an instance at the same address: it also requests each block of each
// shard from that instance. If nothing listens on the old port, the node continues immediately. If the port were
// its own, it would refuse its own request, and try again for 8 s or more each time.
// (src/dbnode/client/session.go)
func PortOf(id string) int {
	sum := sha256.Sum256([]byte(id))
	return FirstOwnPort + int(binary.BigEndian.Uint32(sum[:4])%(LastOwnPort-FirstOwnPort+1))
}

// Environment returns the name under which a cluster stores its data in etcd, as m3db-operator does.
func Environment(namespace, cluster string) string { return namespace + "/" + cluster }

var namable = pattern.Of(`[^a-z0-9.-]+`)

// NamespaceObject returns the name of the object for a namespace of a cluster. It may differ from the name of
// the namespace, because not every such name can be the name of an object.
func NamespaceObject(cluster, namespace string) string {
	plain := strings.Trim(namable.ReplaceAllString(strings.ToLower(namespace), "-"), "-.")
	if plain == namespace && len(plain) <= maxPlain {
		return cluster + "-" + plain
	}
	sum := sha256.Sum256([]byte(namespace))
	return cluster + "-" + strings.TrimRight(plain[:min(len(plain), maxPlain)], "-.") + "-" + hex.EncodeToString(sum[:4])
}

// maxPlain is the maximum number of characters of a namespace's name in the name of its object.
const maxPlain = 40
