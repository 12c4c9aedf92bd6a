package machine

import "slices"

// Spread returns the zone of each machine, for the numbers below count. It depends on nothing else, so no machine moves when
// there are more or fewer machines. With n zones, each zone has one of the first n numbers, one of the next n numbers, and
// so on. Only this keeps the zones balanced to within one machine for every count.
//
// If the zones took turns, the balance would be the same, but with one more zone nearly all machines would move. Here the
// order for n zones is derived from the order for n-1. In each row of n numbers, the first machine of every zone stays.
// Another machine of the same zone moves to a zone that the row lacks, which is nearly always the new one. So up to the
// fourth zone, only the machines that the new zone must get move. From the fifth zone on, rows also lack older zones, and up
// to twice as many machines move. When the last zone is removed, the same machines move back.
func Spread(zones, count int) []int {
	in := make([]int, count+zones*zones) // an incomplete row at the end stays undecided, and each round can have one
	for n := 2; n <= zones; n++ {
		for row := range slices.Chunk(in, n) {
			if len(row) == n {
				fillRow(row)
			}
		}
	}
	return in[:count]
}

// fillRow gives each position of a row a different zone, and changes as few of them as possible.
func fillRow(row []int) {
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

// Places returns the numbers of count machines that are spread over zones, in ascending order, and the zone of each. A
// number in without is left out, and no other machine moves because of it.
func Places(zones, count int, without map[int]bool) (numbers, in []int) {
	for number, zone := range Spread(zones, count+len(without)) {
		if !without[number] && len(numbers) < count {
			numbers, in = append(numbers, number), append(in, zone)
		}
	}
	return numbers, in
}

// PlacesIn is like Places, for isolation groups. room is the number of machines that each isolation group can have. An isolation group
// gets the first of its numbers from [Spread], so no machine moves if the room of one grows or shrinks.
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
