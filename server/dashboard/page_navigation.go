package dashboard

// navGroup is a titled list of links in the navigation.
type navGroup struct {
	ID, Title string // "" for the first group
	Links     []navLink
}

// navLink leads to a section of the dashboard.
type navLink struct {
	Path, Section, Label string
	Icon                 string // path of an SVG of 16 units
}
