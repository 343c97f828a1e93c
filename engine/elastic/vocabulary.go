package elastic

import (
	"context"
	"encoding/json"

	"freelancer-matching/engine"
)

// Vocabulary is one aggregation for each kind of word: Elasticsearch bounds the words of one answer, and would refuse all
// kinds together.
func (s *snapshot) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	v := &engine.Vocabulary{}
	for _, kind := range []struct {
		field string
		uses  *[]engine.WordCount
	}{{"skills", &v.Skills}, {"unknown", &v.UnknownSkills}, {"job_titles", &v.JobTitles}} {
		uses, err := s.uses(ctx, kind.field)
		if err != nil {
			return nil, s.wrap("vocabulary of", err)
		}
		*kind.uses = uses
	}
	return v, nil
}

// uses is the most frequent values of a field. Of an index of several shards each counts its own most frequent values, half
// as many again as are asked for, so that those at the end of a full list may be counted too low.
func (s *snapshot) uses(ctx context.Context, field string) ([]engine.WordCount, error) {
	body, err := json.Marshal(object{
		"size": 0, "track_total_hits": false,
		"aggs": object{"words": object{"terms": object{"field": field, "size": engine.MaxVocabulary}}},
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		completeness
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
	uses := make([]engine.WordCount, len(answer.Aggregations.Words.Buckets))
	for i, b := range answer.Aggregations.Words.Buckets {
		uses[i] = engine.WordCount{Word: b.Key, Documents: b.Count}
	}
	return engine.TopWords(uses), nil
}
