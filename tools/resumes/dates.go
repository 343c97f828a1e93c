package resumes

import "fmt"

// A resume writes its dates in one of these styles. Months are counted from January of year 0.
//
//	short    Jan 2019 – Present
//	long     janvier 2019 – aujourd’hui
//	numeric  01/2019 – heute
//	years    2016 – 2019
//	since    numeric, but "seit 2020" for the current position
//	kanji    2021年3月 – 現在

// date returns the true date of a month, as precisely as the style of the person writes it.
func (p *person) date(month int) string {
	if p.DateStyle == "years" {
		return fmt.Sprintf("%04d", month/12)
	}
	return fmt.Sprintf("%04d-%02d", month/12, month%12+1)
}

// period returns a time as the resume writes it.
func (p *person) period(w *words, start, end int, current bool) string {
	if current && p.DateStyle == "since" {
		return w.Since + " " + p.written(w, start)
	}
	last := w.Present
	if !current {
		last = p.written(w, end)
	}
	return p.written(w, start) + " – " + last
}

// written returns a month as the resume writes it.
func (p *person) written(w *words, month int) string {
	year := month / 12
	month %= 12
	switch p.DateStyle {
	case "short":
		return fmt.Sprintf("%s %d", w.Short[month], year)
	case "long":
		name := w.Months[month]
		if p.Language == "es" {
			name += " de"
		}
		return fmt.Sprintf("%s %d", name, year)
	case "years":
		return fmt.Sprint(year)
	case "kanji":
		return fmt.Sprintf("%d年%d月", year, month+1)
	default:
		return fmt.Sprintf("%02d/%d", month+1, year)
	}
}
