package main

import "fmt"

// The ways in which resumes write a period, by the name in words:
//
//	short    Jan 2019 – Present
//	long     janvier 2019 – aujourd’hui
//	numeric  01/2019 – heute
//	years    2016 – 2019
//	since    the current position "seit 2020", others as numeric
//	kanji    2021年3月 – 現在
//
// Months are counted from January of year 0.

// date is the truth of a month that is written in the person's style.
func (p *person) date(month int) string {
	if p.DateStyle == "years" {
		return fmt.Sprintf("%04d", month/12)
	}
	return fmt.Sprintf("%04d-%02d", month/12, month%12+1)
}

// period is how the resume writes a time.
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

func (p *person) written(w *words, month int) string {
	year, of := month/12, month%12
	switch p.DateStyle {
	case "short":
		return fmt.Sprintf("%s %d", w.Short[of], year)
	case "long":
		name := w.Months[of]
		if p.Language == "es" {
			name += " de"
		}
		return fmt.Sprintf("%s %d", name, year)
	case "years":
		return fmt.Sprint(year)
	case "kanji":
		return fmt.Sprintf("%d年%d月", year, of+1)
	default:
		return fmt.Sprintf("%02d/%d", of+1, year)
	}
}
