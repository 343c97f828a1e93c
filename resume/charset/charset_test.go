package charset_test

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/freelancer-matching/service/resume/charset"
)

// Texts of résumés, by the encoding in which older programs of that language saved them.
var texts = map[string]string{
	"windows-1252": "Müller, Geschäftsführer – «Élève» à l’école; Año 2019: coração, 5 €",
	"iso-8859-1":   "Résumé de Zoë Lefèvre, née à Besançon. Développeuse Java, élève ingénieure",
	"windows-1250": "Zażółć gęślą jaźń. Łukasz Wiśniewski, Kraków: kierownik działu sprzedaży, język polski",
	"windows-1251": "Резюме: Анна Петрова, ведущий разработчик. Опыт работы с 2015 года, Москва",
	"koi8-r":       "Резюме: Анна Петрова, ведущий разработчик. Опыт работы с 2015 года, Москва",
	"windows-1253": "Βιογραφικό σημείωμα: Ελένη Παπαδοπούλου, μηχανικός λογισμικού στην Αθήνα",
	"windows-1254": "Özgeçmiş: Ayşe Yıldız, yazılım geliştirici, İstanbul. Öğrenim: Boğaziçi Üniversitesi",
	"windows-1255": "קורות חיים: מהנדסת תוכנה בתל אביב, ניסיון של חמש שנים",
	"windows-1256": "السيرة الذاتية: مهندس برمجيات في القاهرة، خبرة خمس سنوات في التطوير",
	"shift_jis":    "履歴書 山田花子 東京都在住。ソフトウェア開発の経験が十年あります。",
	"euc-jp":       "履歴書 山田花子 東京都在住。ソフトウェア開発の経験が十年あります。",
	"gb18030":      "个人简历:王小明,软件工程师,北京。五年开发经验,熟悉数据库和网络编程。",
	"big5":         "個人履歷:王小明,軟體工程師,台北。五年開發經驗,熟悉資料庫與網路程式設計。",
	"euc-kr":       "이력서: 김민지, 서울, 소프트웨어 개발자. 경력 오 년, 데이터베이스와 웹 개발",
}

func TestDecode_Legacy(t *testing.T) {
	for name, want := range texts {
		t.Run(name, func(t *testing.T) {
			e, err := htmlindex.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			file, err := e.NewEncoder().String(want)
			if err != nil {
				t.Fatal(err)
			}
			for _, declared := range []string{"", name, "utf-8", "no such encoding"} {
				if got, lost := charset.Decode([]byte(file), declared); got != want || lost {
					t.Errorf("declared %q: got %q, want %q", declared, got, want)
				}
			}
		})
	}
}

func TestDecode_Unicode(t *testing.T) {
	const want = "Zoë, 東京"
	for name, file := range map[string]string{
		"UTF-8":                want,
		"UTF-8 with mark":      "\uFEFF" + want,
		"UTF-16 little endian": "\xFF\xFEZ\x00o\x00\xEB\x00,\x00 \x00\x71\x67\xAC\x4E",
		"UTF-16 big endian":    "\xFE\xFF\x00Z\x00o\x00\xEB\x00,\x00 \x67\x71\x4E\xAC",
		"UTF-32": "\xFF\xFE\x00\x00Z\x00\x00\x00o\x00\x00\x00" +
			"\xEB\x00\x00\x00,\x00\x00\x00 \x00\x00\x00\x71\x67\x00\x00\xAC\x4E\x00\x00",
		"UTF-8 with a wrong declaration is UTF-8 too": want,
	} {
		if got, lost := charset.Decode([]byte(file), "iso-8859-1"); got != want || lost {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}

	if got, _ := charset.Decode([]byte("J\x00a\x00n\x00e\x00 \x00D\x00o\x00e\x00"), ""); got != "Jane Doe" {
		t.Errorf("UTF-16 without a mark: got %q", got)
	}

	if got, lost := charset.Decode([]byte("a\x81\x8D\xFFb\x90"), "windows-1252"); !lost {
		t.Errorf("undefined bytes: got %q, want lost characters", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xFF\xFEa\x00\x00\xD8"), "utf-16")
	f.Add([]byte("M\xFCller"), "")
	f.Fuzz(func(t *testing.T, file []byte, declared string) {
		if text, _ := charset.Decode(file, declared); !utf8.ValidString(text) {
			t.Errorf("invalid text %q", text)
		}
	})
}
