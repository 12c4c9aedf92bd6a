package machine

import "slices"

// Spread says for each number up to count in which of so many zones its machine is. It depends on nothing else, so no
// machine moves when there are more or fewer. Each zone has one of the first so many numbers, one of the next so many
// and so on: that, and nothing less, keeps any count of machines balanced to within one.
//
// Simply taking turns would do that too, but then a further zone would move nearly all machines. Here the order for
// n zones is made from that for n-1: in each row of n numbers the first of every zone stays, and who shares a zone with
// an earlier one goes to a zone that the row lacks, which is nearly always the new one. So a further zone takes the
// machines that it has to get, and all others stay, as far as the fourth zone. From the fifth on rows lack older zones, too,
// and up to twice as many move. It is the other way round for the last zone when that goes.
func Spread(zones, count int) []int {
	in := make([]int, count+zones*zones) // a row that is not full is not decided, and each round adds one at the end
	for n := 2; n <= zones; n++ {
		for row := range slices.Chunk(in, n) {
			if len(row) == n {
				settle(row)
			}
		}
	}
	return in[:count]
}

// settle gives each place of a row a zone of its own, and changes as few as possible.
func settle(row []int) {
	has := make([]bool, len(row))
	var again []int
	for i, zone := range row {
		if has[zone] {
			again = append(again, i)
		}
		has[zone] = true
	}
	for zone, taken := range has {
		if !taken {
			row[again[0]], again = zone, again[1:]
		}
	}
}

// Places are the numbers of so many machines that are spread over zones, in ascending order, and for each in which zone it
// is. Numbers that are left out move nobody else.
func Places(zones, count int, without map[int]bool) (numbers, in []int) {
	for number, zone := range Spread(zones, count+len(without)) {
		if !without[number] && len(numbers) < count {
			numbers, in = append(numbers, number), append(in, zone)
		}
	}
	return numbers, in
}

// PlacesIn is likewise for isolation groups that have room for so many machines each. One has the first of those numbers
// that [Spread] gives it, so that one which grows or shrinks moves nobody.
func PlacesIn(room []int, without map[int]bool) (numbers, in []int) {
	if len(room) == 0 {
		return nil, nil
	}
	left := slices.Clone(room)
	for number, group := range Spread(len(room), len(room)*(slices.Max(room)+len(without))) {
		if !without[number] && left[group] > 0 {
			numbers, in = append(numbers, number), append(in, group)
			left[group]--
		}
	}
	return numbers, in
}
