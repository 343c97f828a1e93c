// Package skills reads the skills of a person: the items of lists, and the names in running text for which there is
// enough evidence.
//
//   - list.go divides sections about skills into rows and items: group.go finds the groups of a list, split.go
//     separates items, rating.go takes off how well a skill is known, and item.go turns an item into skills
//   - evidence.go decides whether a name in running text means a skill
//   - use.go adds how long and until when a skill was used
package skills
