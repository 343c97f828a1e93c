package cli

import "strings"

// changeCases returns files with the messages of programs that follow the changes of a database.
func changeCases() []corpusCase {
	const live = "id,name,skills\n1,Ada Old,Go\n2,Bo Reth,SEO\n9,Zed Kor,Java\n" +
		"10,Eve Sari,Go\n11,Fay Kel,Go\n12,Gil Nim,Go\n"
	lines := func(all ...string) files { return files{"changes.ndjson", strings.Join(all, "\n") + "\n"} }
	row := func(id, name, skill string) string {
		return `{"id":` + id + `,"name":"` + name + `","skills":["` + skill + `"],"hourly_rate":40}`
	}
	debezium := func(op, before, after string) string {
		return `{"before":` + before + `,"after":` + after + `,"source":{"table":"people"},"op":"` + op + `","ts_ms":1}`
	}
	ada, newAda := row("1", "Ada Lund", "Go"), row("1", "Ada Lund", "Rust")
	bo, cem := row("2", "Bo Reth", "SEO"), row("3", "Cem Vask", "Go")
	snapshot := loads(2, "Ada Lund: id=1; skills=Rust", "Cem Vask: id=3; deleted=unknown").without("Bo Reth")
	upserted := loads(6, "Ada Lund: id=1; skills=Rust", "Cem Vask: id=3", "Zed Kor: id=9").without("Ada Old", "Bo Reth")
	all := lines(debezium("r", "null", ada), debezium("r", "null", bo), debezium("u", ada, newAda),
		debezium("d", bo, "null"), "null", debezium("c", "null", cem))

	wal1 := func(changes ...string) string {
		return `{"xid":7,"change":[` + strings.Join(changes, ",") + `]}`
	}
	wal1Row := func(kind, id, name, skill, old string) string {
		return `{"kind":"` + kind + `","schema":"public","table":"people","columnnames":["id","name","skills"],` +
			`"columntypes":["integer","text","text"],"columnvalues":[` + id + `,"` + name + `","` + skill + `"]` + old + `}`
	}
	oldKeys := func(id string) string {
		return `"oldkeys":{"keynames":["id"],"keytypes":["integer"],"keyvalues":[` + id + `]}`
	}
	wal1Delete := func(id string) string {
		return `{"kind":"delete","schema":"public","table":"people",` + oldKeys(id) + `}`
	}
	wal2 := func(action, id, name, skill string) string {
		return `{"action":"` + action + `","schema":"public","table":"people","columns":[` +
			`{"name":"id","type":"integer","value":` + id + `},{"name":"name","type":"text","value":"` + name + `"},` +
			`{"name":"skills","type":"text","value":"` + skill + `"}]}`
	}
	airbyte := func(data string) string {
		return `{"type":"RECORD","record":{"stream":"people","data":` + data + `,"emitted_at":1}}`
	}
	text := func(object string) string { return `"` + strings.ReplaceAll(object, `"`, `\"`) + `"` }

	return []corpusCase{
		{
			name: "a snapshot of Debezium with changes", files: all,
			want: snapshot.saying("5 changes about 3 records, of which 1 deleted", "1 message about something else"),
		},
		{
			name: "changes of Debezium into a live index", live: live, files: all, args: "load -upsert changes.ndjson",
			want: upserted,
		},
		{
			name: "Debezium with schemas",
			files: lines(`{"schema":{"type":"struct"},"payload":`+debezium("c", "null", ada)+`}`,
				`{"schema":{"type":"struct"},"payload":`+debezium("u", "null", newAda)+`}`),
			want: loads(1, "Ada Lund: id=1; skills=Rust"),
		},
		{
			name: "Debezium as a list",
			files: files{"changes.json", "[\n" + debezium("c", "null", ada) + ",\n" + debezium("c", "null", bo) + ",\n" +
				debezium("d", bo, "null") + "\n]\n"},
			want: loads(1, "Ada Lund: id=1").without("Bo Reth"),
		},
		{
			name: "Debezium as Kafka's tools print it",
			files: lines(`{"topic":"people","key":"{\"id\":1}","value":`+
				text(debezium("c", "null", `{"id":1,"name":"Ada Lund"}`))+`}`,
				`{"topic":"people","key":"{\"id\":1}","value":null}`),
			want: loads(1, "Ada Lund: id=1").saying("1 message about something else"),
		},
		{
			name: "Debezium of MongoDB",
			files: lines(debezium("c", "null", text(`{"_id":{"$oid":"64a1"},"name":"Ada Lund","skills":["Go"]}`)),
				debezium("u", "null", text(`{"_id":{"$oid":"64a1"},"name":"Ada Lund","skills":["Rust"]}`))),
			want: loads(1, "Ada Lund: id=64a1; skills=Rust"),
		},
		{
			name: "rows that Debezium took out of their envelopes",
			files: lines(`{"id":1,"name":"Ada Lund","skills":"Go","__deleted":"false","__op":"c"}`,
				`{"id":2,"name":"Bo Reth","skills":"Go","__deleted":"false","__op":"c"}`,
				`{"id":1,"name":"Ada Lund","skills":"Rust","__deleted":"false","__op":"u"}`,
				`{"id":2,"name":"Bo Reth","skills":"Go","__deleted":"true","__op":"d"}`),
			want: loads(1, "Ada Lund: id=1; skills=Rust").without("Bo Reth"),
		},
		{
			name: "a long value that didn't change",
			files: lines(debezium("c", "null", `{"id":1,"name":"Ada Lund","description":"Long text."}`),
				debezium("u", "null", `{"id":1,"name":"Ada Moor","description":"__debezium_unavailable_value"}`)),
			want: loads(1, "Ada Moor: id=1; description=Long text."),
		},
		{
			name: "a long value that isn't in the file",
			files: lines(debezium("u", "null",
				`{"id":1,"name":"Ada Lund","skills":"Go","description":"__debezium_unavailable_value"}`)),
			want: loads(1, "Ada Lund: id=1; description=unknown").saying("1 record without long values", "-patch"),
		},
		{
			name: "an id that changes", live: live, args: "load -upsert changes.ndjson",
			files: lines(debezium("u", bo, row("22", "Bo Reth", "SEO"))),
			want:  loads(6, "Bo Reth: id=22", "Ada Old: id=1"),
		},
		{
			name:  "deleted and created again",
			files: lines(debezium("c", "null", ada), debezium("d", ada, "null"), debezium("c", "null", newAda)),
			want:  loads(1, "Ada Lund: id=1; skills=Rust"),
		},
		{
			name: "a truncated table", files: lines(debezium("c", "null", ada), `{"op":"t","before":null,"after":null}`),
			want: refuses("change message 2", "truncated"),
		},
		{
			name: "a deletion that names nobody", files: lines(debezium("c", "null", ada), debezium("d", "null", "null")),
			want: refuses("change message 2", "REPLICA IDENTITY"),
		},
		{
			name:  "two tables",
			files: lines(debezium("c", "null", ada), strings.Replace(debezium("c", "null", bo), "people", "skills", 1)),
			want:  refuses("several tables: people, skills"),
		},
		{
			name: "wal2json, format 1",
			files: lines(`{"change":[]}`,
				wal1(wal1Row("insert", "1", "Ada Lund", "Go", ""), wal1Row("insert", "2", "Bo Reth", "SEO", "")),
				wal1(wal1Row("update", "1", "Ada Lund", "Rust", ","+oldKeys("1")), wal1Delete("2"),
					wal1Row("insert", "3", "Cem Vask", "Go", ""))),
			want: snapshot,
		},
		{
			name: "wal2json, format 1, into a live index", live: live, args: "load -upsert changes.ndjson",
			files: lines(wal1(wal1Row("update", "1", "Ada Lund", "Rust", ","+oldKeys("1")), wal1Delete("2"),
				wal1Row("insert", "3", "Cem Vask", "Go", ""))),
			want: upserted,
		},
		{
			name: "wal2json, format 1, on several lines",
			files: lines("{\n  \"change\": [\n    "+wal1Row("insert", "1", "Ada Lund", "Go", "")+",\n    "+
				wal1Row("insert", "2", "Bo Reth", "SEO", "")+"\n  ]\n}",
				"{\n  \"change\": [\n    "+wal1Delete("2")+"\n  ]\n}"),
			want: loads(1, "Ada Lund: id=1; skills=Go").without("Bo Reth"),
		},
		{
			name: "wal2json, format 2",
			files: lines(`{"action":"B"}`, wal2("I", "1", "Ada Lund", "Go"), wal2("I", "2", "Bo Reth", "SEO"), `{"action":"C"}`,
				`{"action":"B"}`, wal2("U", "1", "Ada Lund", "Rust"), wal2("I", "3", "Cem Vask", "Go"),
				`{"action":"D","schema":"public","table":"people","identity":[{"name":"id","value":2}]}`,
				`{"action":"C"}`),
			want: snapshot.saying("4 messages about something else"),
		},
		{
			name: "a long value that wal2json leaves out",
			files: lines(`{"action":"I","columns":[{"name":"id","value":1},{"name":"name","value":"Ada Lund"},`+
				`{"name":"description","value":"Long text."}]}`,
				`{"action":"U","columns":[{"name":"id","value":1},{"name":"name","value":"Ada Moor"}]}`),
			want: loads(1, "Ada Moor: description=Long text."),
		},
		{
			name: "Airbyte",
			files: lines(`{"type":"LOG","log":{"level":"INFO","message":"start"}}`, airbyte(ada), airbyte(bo),
				airbyte(newAda), airbyte(cem), `{"type":"STATE","state":{"data":{}}}`,
				airbyte(`{"id":2,"name":"Bo Reth","_ab_cdc_deleted_at":"2026-11-01T00:00:00Z"}`)),
			want: snapshot.saying("2 messages about something else"),
		},
		{
			name: "raw tables of Airbyte",
			files: lines(`{"_airbyte_ab_id":"a","_airbyte_emitted_at":1,"_airbyte_data":`+ada+`}`,
				`{"_airbyte_ab_id":"b","_airbyte_emitted_at":2,"_airbyte_data":`+
					text(`{"id":1,"name":"Ada Lund","skills":"Rust"}`)+`}`),
			want: loads(1, "Ada Lund: id=1; skills=Rust"),
		},
		{
			name: "Singer",
			files: lines(`{"type":"SCHEMA","stream":"people","schema":{}}`,
				`{"type":"RECORD","stream":"people","record":`+ada+`}`,
				`{"type":"RECORD","stream":"people","record":`+newAda+`}`),
			want: loads(1, "Ada Lund: id=1; skills=Rust"),
		},
		{
			name: "an id that a flag names", args: "load -id ref changes.ndjson",
			files: lines(debezium("c", "null", `{"ref":"a","id":1,"name":"Ada Lund"}`),
				debezium("u", "null", `{"ref":"a","id":2,"name":"Ada Moor"}`)),
			want: loads(1, "Ada Moor: id=a"),
		},
		{
			name: "no id", files: lines(debezium("c", "null", `{"name":"Ada Lund","skills":"Go"}`)),
			want: refuses("no member of the record is an id", "-id"),
		},
		{
			name:  "a message that ends early",
			files: files{"changes.ndjson", debezium("c", "null", ada) + "\n" + `{"before":null,"after":{"id":2`},
			want:  refuses("change message 2", "ends within"),
		},
		{
			name:  "two files",
			files: files{"a.ndjson", debezium("c", "null", ada) + "\n", "b.ndjson", debezium("c", "null", bo) + "\n"},
			want:  refuses("both have change messages", "a.ndjson", "b.ndjson"),
		},
		{
			name: "people with a word of an envelope",
			files: lines(`{"id":1,"name":"Ada Lund","skills":"Go","action":"U","type":"RECORD","change":[]}`,
				`{"id":2,"name":"Bo Reth","skills":"SEO","op":"x","before":1}`),
			want: loads(2, "Ada Lund: id=1", "Bo Reth: id=2"),
		},
	}
}
