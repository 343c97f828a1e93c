package embedding

import (
	"context"
	"fmt"
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

// anchors returns pairs of texts with the same meaning in different words; each pair is from a different trade.
func anchors() [][2]string {
	return [][2]string{
		{"Frontend developer. React, TypeScript", "JavaScript engineer for web interfaces. ReactJS"},
		{"Bookkeeper. QuickBooks, payroll", "Accounting of small companies: invoices, ledgers, salaries"},
		{"Logo designer. Illustrator, brand identity", "Graphic designer for logos and corporate design"},
		{"German to English translator", "Translation of documents from German into English"},
		{"Video editor. Premiere Pro, After Effects", "Cutting and post-production of YouTube videos"},
		{"Virtual assistant. Data entry, email handling", "Administrative support: calendar, inbox, spreadsheets"},
		{"Machine learning engineer. PyTorch, NLP", "Deep learning and natural language processing in Python"},
		{"Copywriter for landing pages and blogs", "Content writing: articles and web copy"},
		//nolint:misspell // another spelling would move the measured floor
		{"Mechanical engineer. SolidWorks, product design", "3D CAD modelling of machine parts"},
		{"SEO specialist. Keyword research, link building", "Search engine optimization for better rankings"},
		{"DevOps engineer. Kubernetes, Terraform, AWS", "Cloud infrastructure and continuous delivery"},
		{"Contract lawyer. Legal drafting", "Attorney who writes and reviews agreements"},
		{"Voice over artist. Narration, audiobooks", "Professional narrator with a home studio"},
		{"iOS developer. Swift", "Mobile app programmer for iPhone"},
		{"Recruiter. Talent sourcing, HR", "Human resources: finding and hiring staff"},
		{"Statistician. SPSS, survey analysis", "Quantitative data analysis for academic research"},
	}
}

// Embedder computes vectors of texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([]matching.Vector, error)
}

// Floor returns the cosine of two texts of a model that have nothing in common: the mean of pairs of texts about
// different trades. It returns an error for a model that can't tell these from texts with the same meaning, and for one
// whose vector of a text depends on the other texts of a request.
func Floor(ctx context.Context, e Embedder) (float64, error) {
	pairs := anchors()
	texts := make([]string, 0, 2*len(pairs))
	for _, pair := range pairs {
		texts = append(texts, pair[0], pair[1])
	}

	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return 0, fmt.Errorf("embed the probe texts: %w", err)
	}
	if err := checkAlone(ctx, e, texts, vectors); err != nil {
		return 0, err
	}

	// The texts come as pairs of the same meaning, so neighbors of an even number belong together.
	var same, apart []float64
	for i := range vectors {
		for j := range i {
			cosine := matching.Cosine(vectors[i], vectors[j])
			if i/2 == j/2 {
				same = append(same, cosine)
			} else {
				apart = append(apart, cosine)
			}
		}
	}

	unlike, deviation := distribution(apart)
	if alike, _ := distribution(same); alike < unlike+contrastDeviations*deviation+leastContrast {
		return 0, fmt.Errorf("texts that mean the same have a cosine of %.3f, and texts that do not of %.3f ± %.3f: "+
			"this model cannot tell them apart; choose one for sentence similarity", alike, unlike, deviation)
	}

	return unlike, nil
}

// minAlone is the least cosine of two vectors of one text. Rounding in batches of different sizes stays far above it.
const minAlone = .99

// checkAlone embeds the longest text again, without the others. llama.cpp returns wrong vectors of the longer texts of
// a request if a model for chat computes them and each slot has a cache of its own.
func checkAlone(ctx context.Context, e Embedder, texts []string, vectors []matching.Vector) error {
	longest := 0
	for i, text := range texts {
		if len(text) > len(texts[longest]) {
			longest = i
		}
	}
	alone, err := e.Embed(ctx, texts[longest:longest+1])
	if err != nil {
		return fmt.Errorf("embed a probe text: %w", err)
	}
	if cosine := matching.Cosine(vectors[longest], alone[0]); cosine < minAlone {
		return fmt.Errorf("a text alone and the same text in a request with others have vectors with a cosine of %.3f, "+
			"want 1: the server mixes up texts; with llama.cpp, start it with --kv-unified", cosine)
	}
	return nil
}

const (
	// contrastDeviations and leastContrast limit how close texts with the same meaning must be on average: closer than
	// about 19 of 20 unrelated pairs, by more than rounding. Sentence models differ far more.
	contrastDeviations = 1.5
	leastContrast      = .02
)

func distribution(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}
