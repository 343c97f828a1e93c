// Package encoded keeps the vectors of profiles by the sentence encoder in an index of their own. The index of the
// freelancers can't have them: its documents can't be updated in part, because Elasticsearch stores the record alone of
// them, and each write would count as a change of the freelancer (docs/adr/0080-vectors-in-elasticsearch.md).
package encoded
