package redact

import "strings"

// plainWords contains the usual words in messages of clouds and of this program. If a text shows only a few of
// them, it does not reveal a secret that contains them. This matters because scripts are secrets and mention
// servers and networks.
var plainWords = func() map[string]struct{} {
	all := map[string]struct{}{}
	for word := range strings.FieldsSeq(plainText) {
		all[word] = struct{}{}
	}
	return all
}()

const plainText = `
a about accept accepted access action active add added additional address addresses admin administrator after again agent all
allocate allocated allocation allow allowed already also an and annotation another any api application are as ask asked at
attach attached attachment attempt attribute authentication available availability away az backend bad balancer be because
been before being below between block body boot both bootable build building busy but by bytes call can cannot capacity cause certificate certificates
change changed changes character characters check choose cidr class client close closed cloud code collection com command
commit compute conflict conflicting connect connected connection console contact contain contains content control controller
correct could count create created creating creation credential credentials current currently data database default delete
deleted deleting denied description detach detail details device different direction disabled disk docker does domain done
down driver drive due duplicate each either empty enable enabled end ended endpoint enough ensure entry error errors etc
exceed exceeded exceeds exception exist existing exists expected expired external extension extra fail failed failing failure
false fault field fields file files find finished fixed flavor floating following for forbidden format found free from full
gateway get gigabytes give given go gone got group groups had has have header health help host hosts hostname hours how http
https hypervisor id ids identity if ignored image images import in incorrect index info information initial input insert
install installed instance instances instead int integer interface interfaces internal invalid ip is issue it item items its
keep key keypair keys kind known large last launch launched least length less limit limits line link list listener load local
location lock locked log login long longer longest lost mac machine made make malformed manifest many mark master match
matches max maximum may member memory message messages metadata method migrate min minimum missing mode module monitor more
most must name named names need needed network networking networks never new next nginx no node none nor not note nothing
notice nova now null number object objects of off offline ok old on once one online only open openstack operation option
options or order org original os other out over own owner package packages page parameter parameters parent part parts
password passwd path pattern peer pending per permission permitted please point policy pool port ports possible power present
prevent private problem process project property protocol provide provided provider public put python query quota raise
range rate reach reached read ready reason reboot rebuild received record refers refuse refused region reject rejected release
remaining remote remove removed repeat replace reply report request requested requests require required requires reserved
reset resize resource resources response restart result retry retries returned role root route router rule rules run running
same save schedule scheduled scheduler scheduling schema script scripts second seconds secret security see select self send
sent server servers service services session set setting setup shall should show shutdown shut shutoff size small snapshot
so some source spawn spawning specified specification ssh stack standard start started starting state status stop stopped
storage store string subnet subnets subject success such sudo suitable support supported switch sync system systemd systemctl
tag tags take taken target task tcp template temporarily tenant text than that the their them then there these they this
those through time timed timeout times to together token too tried true try trying two type types udp unable unauthorized
unavailable under undefined unexpected unique unit unknown unless unsupported until up update updated updating upload upper
usage use used user userdata username users uses using utf valid validate validation value values verify version versions
view virtual vm volume volumes wait waiting want wanted was way web well went were what when where whether which while who
whole why will wish with within without word work working would write writing written wrong yaml you your zero zone zones
`
