package rest

import "strconv"

// A Revision identifies one state of a document.
type Revision struct {
	SeqNo       int `json:"_seq_no"`
	PrimaryTerm int `json:"_primary_term"`
}

// Condition returns the parameters of a request that fails unless the document still is in this state.
func (v Revision) Condition() Params {
	return Params{"if_seq_no": strconv.Itoa(v.SeqNo), "if_primary_term": strconv.Itoa(v.PrimaryTerm)}
}
