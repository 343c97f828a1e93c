package headers

import (
	"testing"

	"github.com/freelancer-matching/service/indexer/source/field"
)

// Column headers of tables in Japanese, Chinese, Turkish and Russian are known.
func TestHeadersOfOtherScripts(t *testing.T) {
	t.Parallel()
	want := []field.Field{
		field.Name, field.JobTitle, field.Skills, field.HourlyRate, field.Country, field.Languages, field.Email,
		field.AvailableFrom,
	}
	for _, headers := range [][]string{
		{"氏名", "職種", "スキル", "時給", "国", "言語", "メール", "稼働可能日"},
		{"姓名", "职位", "技能", "时薪", "国家", "语言", "邮箱", "可到岗日期"},
		{"Ad Soyad", "Unvan", "Beceriler", "Saatlik Ücret", "Ülke", "Diller", "E-posta", "İşe Başlama Tarihi"},
		{"ФИО", "Должность", "Навыки", "Ставка в час", "Страна", "Языки", "Почта", "Доступен с"},
	} {
		for i, known := range LookupAll(headers) {
			if known.Group == nil || known.Field != want[i] {
				t.Errorf("%q is not known as %v", headers[i], want[i])
			}
		}
	}
}
