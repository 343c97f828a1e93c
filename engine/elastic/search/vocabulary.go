package search

import (
	"context"
	"encoding/json"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// Vocabulary makes one request for each kind of word, since Elasticsearch limits the number of buckets in one answer.
func (s *Snapshot) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	v := &engine.Vocabulary{}
	for _, kind := range []struct {
		field  string
		counts *[]engine.WordCount
	}{{"skills", &v.Skills}, {"unknown", &v.UnknownSkills}, {"job_titles", &v.JobTitles}} {
		counts, err := s.topWords(ctx, kind.field)
		if err != nil {
			return nil, s.wrap("vocabulary of", err)
		}
		*kind.counts = counts
	}
	return v, nil
}

// topWords returns the most frequent values of a field. If the index has several shards, each returns its own most
// frequent values, 1.5 times as many as requested, so the counts at the end of a full list may be too low.
func (s *Snapshot) topWords(ctx context.Context, field string) ([]engine.WordCount, error) {
	body, err := json.Marshal(object{
		"size": 0, "track_total_hits": false,
		"aggs": object{"words": object{"terms": object{"field": field, "size": engine.MaxVocabulary}}},
	})
	if err != nil {
		return nil, err
	}

	var answer struct {
		rest.Completeness
		Aggregations struct {
			Words struct {
				Buckets []struct {
					Key   string
					Count int `json:"doc_count"`
				}
			}
		}
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, err
	}

	// TopWords breaks ties like the embedded engine, so that both return the same words.
	counts := make([]engine.WordCount, len(answer.Aggregations.Words.Buckets))
	for i, b := range answer.Aggregations.Words.Buckets {
		counts[i] = engine.WordCount{Word: b.Key, Documents: b.Count}
	}

	return engine.TopWords(counts), nil
}
