// Package projects keeps what the members of an account do about a brief together: whom they have shortlisted, how far
// they are with each person, notes, and links that show the people to a client.
package projects

import (
	"errors"
	"net/url"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The limits of what an account can store.
const (
	MaxProjects = 200 // of an account
	MaxPeople   = 100 // in a project
	MaxLinks    = 10  // of a project that have not expired

	MaxName  = 120      // characters of a project's name
	MaxNote  = 4000     // characters of a note
	MaxBrief = 64 << 10 // bytes of a brief
)

// DefaultName is the name of a project without a better one.
const DefaultName = "Project"

// The days for which a link can work.
const (
	DefaultLinkDays = 14
	MaxLinkDays     = 90
)

// The codes of refusals.
const (
	CodeFull    matching.Code = "projects_full"
	CodeChanged matching.Code = "project_changed"
	CodeInvalid matching.Code = "invalid_project"
)

var (
	// ErrNotFound is returned for a project, a person or a link that an account doesn't have.
	ErrNotFound = errors.New("project not found")
	// ErrFull is returned if a limit of a Store would be exceeded.
	ErrFull = errors.New("the limit of projects, people or links is reached")
	// ErrKept is returned if a person isn't removed, because a note or a state would be lost.
	ErrKept = errors.New("the person has a note or another state than shortlisted")
	// ErrChanged is returned if a note has changed since it was read.
	ErrChanged = errors.New("the note has changed meanwhile")
)

// A State says how far an account is with a person.
type State string

// The states, in the order of lists.
const (
	Hired       State = "hired"
	Interested  State = "interested" // the person wants the work
	Contacted   State = "contacted"
	Shortlisted State = "shortlisted"
	Declined    State = "declined" // the person doesn't want the work
)

// States returns all states, in the order of lists.
func States() []State { return []State{Hired, Interested, Contacted, Shortlisted, Declined} }

// A Project is a brief with the people whom an account considers for it.
type Project struct {
	ID      string
	Account string
	Owner   string // ID of the user who is responsible
	Name    string
	Brief   Brief
	Note    string
	Created time.Time
	Changed time.Time // including changes of people
}

// A Brief is the brief of a project.
type Brief struct {
	Form   url.Values `json:"form"`             // as it was submitted on the dashboard
	Result string     `json:"result,omitempty"` // ID of the result that the project was saved from
	// Hourly reports whether the budget is for an hour.
	Hourly   bool   `json:"hourly,omitempty"`
	Currency string `json:"currency,omitempty"` // of the budget, "" if unknown
}

// A Person is somebody whom an account considers for a project.
type Person struct {
	Freelancer string // ID
	State      State
	Note       string
	Released   bool // links show name and profile
	Match      Match
	Added      time.Time
	Changed    time.Time
}

// A Match is what the response to the brief said about a person.
type Match struct {
	Request string   `json:"request"`          // ID
	Result  string   `json:"result,omitempty"` // ID of the result on the dashboard
	Rank    int      `json:"rank"`             // from 1
	Score   float64  `json:"score"`
	Has     []string `json:"has,omitempty"`   // skills of the brief
	Lacks   []string `json:"lacks,omitempty"` // skills of the brief
}

// A Summary is a project in a list.
type Summary struct {
	ID      string
	Owner   string // ID of the user who is responsible
	Name    string
	Changed time.Time // including changes of people
	People  map[State]int
}

// Total returns the number of people in the project.
func (s *Summary) Total() (n int) {
	for _, people := range s.People {
		n += people
	}
	return n
}

// A Link shows a project to anybody who has its token.
type Link struct {
	ID      string
	Project string
	MadeBy  string // ID of the user
	Created time.Time
	Expires time.Time
}
