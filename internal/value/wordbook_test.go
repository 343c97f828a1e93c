package value

import (
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// Dates, languages and countries are read in all languages of the word book.
func TestTurkishRussianJapaneseAndChinese(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"12 Ocak 2027": "2027-01-12", "1 AĞUSTOS 2027": "2027-08-01", "12 января 2027": "2027-01-12",
		"12 января 2027 г.": "2027-01-12", "с 5 мая 2027 года": "2027-05-05", "2027年1月12日": "2027-01-12",
		"2027年1月12日以降": "2027-01-12", "2027 年 2 月 3 日": "2027-02-03", "2027年1月": "2027-01-01", "2027年3月5号": "2027-03-05",
		"2027年13月1日": "", "2027年": "", "2027年1月12日頃に相談": "", "年月日": "", "年2027月": "",
	} {
		if got, _ := Date(text, UnclearOrder); got != want {
			t.Errorf("Date(%q) = %q, want %q", text, got, want)
		}
	}

	for text, want := range map[string]matching.SpokenLanguage{
		"Türkçe (anadil)":   {Tag: "tr", Level: matching.LevelNative},
		"TÜRKÇE - ANA DİL":  {Tag: "tr", Level: matching.LevelNative},
		"İngilizce (akıcı)": {Tag: "en", Level: "C1"},
		"русский - родной":  {Tag: "ru", Level: matching.LevelNative},
		"английский язык: средний уровень": {Tag: "en", Level: "B1"},
		"日本語（ネイティブ）":                       {Tag: "ja", Level: matching.LevelNative},
		"英語：ビジネスレベル":                       {Tag: "en", Level: "B2"},
		"中文 母语":                            {Tag: "zh", Level: matching.LevelNative},
		"英语（精通）":                           {Tag: "en", Level: "C1"},
		"英语：流利":                            {Tag: "en", Level: "C1"},
		"İngilizce: ileri düzey":           {Tag: "en", Level: "C1"},
		"Almanca (temel)":                  {Tag: "de", Level: "A2"},
		"Almanca (temel düzey)":            {Tag: "de", Level: "A2"},
		"Klingonca":                        {},
	} {
		list, _ := SpokenLanguages(text)
		var got matching.SpokenLanguage
		if len(list) == 1 {
			got = list[0]
		}
		if got != want {
			t.Errorf("SpokenLanguages(%q) = %+v, want %+v", text, list, want)
		}
	}

	if list, _ := SpokenLanguages("日本語（ネイティブ）、英語（上級）"); len(list) != 2 {
		t.Errorf("two languages between Japanese commas are %v", list)
	}

	for text, want := range map[string]string{
		"Türkiye": "TR", "Almanya": "DE", "Россия": "RU", "РФ": "RU", "日本": "JP", "アメリカ": "US", "中国": "CN", "德国": "DE",
	} {
		if got, _ := Country(text); got != want {
			t.Errorf("Country(%q) = %q, want %q", text, got, want)
		}
	}
}
