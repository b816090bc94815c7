package builtin

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// Texts for arguments that are words of a small language, separated by ¦.
const (
	likes   = `%¦_¦a%¦%b¦%a%¦a_¦\%¦a\¦%\¦\¦__¦%é%¦A%¦a¦%_%¦ab%c¦%%¦(a|b)%¦[ab]_¦a!%¦!!%`
	escapes = `!¦\¦a¦¦xy¦%`
	regexes = `a¦^a¦b$¦a*¦.¦[ab]+¦[^a]¦\d+¦\s*¦\w+¦(a)(b)?¦a|b¦(a|b)+¦^(.*)$¦[[:alpha:]]+¦a{1,2}¦\.¦[0-9.]+¦^$¦x?¦(a+)(b*)¦.*?b¦\ya¦[A-Z]¦o+¦(\w+) (\w+)¦-¦,\s*¦(¦a**¦[a-z]+?¦é¦l+o¦(f)oo¦\|¦^\s+|\s+$¦a{256}¦[]a]¦[a-]¦\.$`
)

// datePictures are formats of dates, and random ones.
var datePictures = func() []string {
	list := strings.Split(`YYYY-MM-DD¦YYYY-MM-DD HH24:MI:SS¦DD Mon YYYY¦Day, DDth Month YYYY¦HH12:MI AM¦HH:MI:SS.MS p.m.¦FMDay FMDD FMMonth¦YYYYMMDDHH24MISS`+
		`¦IYYY-IW-ID¦YYYY-"W"WW¦Q¦"Quarter "Q YYYY¦J¦CC¦SSSS¦US¦DDD¦Dy DD¦RM¦YYYY-MM-DD"T"HH24:MI:SSOF¦TZ¦YY/MM/DD¦Y,YYY¦FMYYYY-FMMM-FMDD¦BC¦W¦FMMonth YYYY¦YYYY"\"q"`, "¦")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var b strings.Builder
		for range 1 + rng.IntN(5) {
			b.WriteString(pickOne(rng, "", "", "FM", "fm"))
			b.WriteString(pickOne(rng, append(patterns, "-", "/", " ", ":", "x", `"T"`, ",")...))
			b.WriteString(pickOne(rng, "", "", "", "th", "TH", "-", " "))
		}
		list = append(list, b.String())
	}
	return list
}()

// readPictures are formats of to_date, and dateTexts texts that some of them fit.
var (
	readPictures, dateTexts = func() (pictures, texts []string) {
		pictures = strings.Split(`YYYY-MM-DD¦YYYYMMDD¦DD Mon YYYY¦YYYY-MM-DD HH24:MI:SS¦HH12:MI AM¦DD/MM/YY¦MM/DD/YYYY¦YYYY-DDD¦Month DD, YYYY¦YYYY-MM-DD"T"HH24:MI:SS.MS¦YYYY-MM-DD HH24:MI:SS.US¦DDMonYYYY¦HH24MISS¦YYYY¦MM¦YYYY.MM.DD¦YYY-MM¦SSSS¦FMMM-FMDD-YYYY`, "¦")
		texts = strings.Split(`2024-02-29¦20240229¦5 Mar 2024¦2024-05-06 07:08:09¦2024-05-06T07:08:09.5¦07:08 PM¦12:30 am¦05/06/24¦2023-02-29¦2024-13-01¦2024-366¦March 5, 2024¦2024¦24¦¦ 2024 - 05 - 06¦2024/05/06¦20240506070809¦1999-12-31 23:59:59.999999¦24-5-6¦x¦0¦0000-01-01¦2024-5¦12¦5MAR2024¦2024-05-06 25:00:00¦70-01¦99-1¦520-1¦13:00 AM¦2024-02-30¦3600¦2024--05-06¦2024 05 06`, "¦")
		rng := rand.New(rand.NewPCG(1, 3))
		for range 300 {
			var b, t strings.Builder
			for range 1 + rng.IntN(5) {
				b.WriteString(pickOne(rng, "", "", "", "FM"))
				b.WriteString(pickOne(rng, "YYYY", "YYYY", "MM", "DD", "HH24", "MI", "SS", "MS", "US", "Mon", "AM", "YY", "HH12", "-", " ", "/", "x", `"T"`, "DDD", "FF3"))
				t.WriteString(pickOne(rng, "2024", "12", "5", "31", "Mar", "pm", "1999", "05", "7", "-", " ", "x", "123"))
				sep := pickOne(rng, "", "-", " ", "/", "  ")
				b.WriteString(sep)
				t.WriteString(pickOne(rng, sep, sep, sep, " "))
			}
			pictures, texts = append(pictures, b.String()), append(texts, t.String())
		}
		return pictures, texts
	}()
)

// numberPictures are formats of numbers, and random ones.
var numberPictures = func() []string {
	list := strings.Split(`999¦999.99¦FM999.99¦FM999,999,990.00¦000¦0.00¦9990.00¦S999¦999S¦SG999¦MI999¦999MI¦999PR¦PL999¦FM000000¦99V99¦RN¦FMRN¦999th¦FM9G999D99¦9.9EEEE`+
		`¦"Good number:"999¦FM90.099¦99,999.9¦FM99.¦.99¦0¦9¦FM0.¦$999.99¦L99¦FM999999999¦FM9999.9999S¦S0.9¦0.9S¦999.MI`, "¦")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(pickOne(rng, "9", "9", "9", "0", "0", ".", ",", "G", "D", "S", "MI", "PL", "SG", "PR", "FM", "V", "TH", "th", "x", "-", " "))
		}
		list = append(list, b.String())
	}
	return list
}()

// hints are texts by signature and argument.
var hints = []struct {
	signature *regexp.Regexp
	texts     []string
}{
	hint(`^encode\(`, "", "hex¦base64¦escape¦HEX¦rot13"),
	hint(`^decode\(`, `00ff¦0g¦aGVsbG8=¦aGVsbG8¦YQ==¦Y Q = =¦a\\b¦\001¦abc¦\¦é¦\x00`, "hex¦base64¦escape¦base64¦HEX"),
	hint(`^convert_(to|from)\(|^length\(bytea,name`, "", "UTF8¦utf-8¦UTF8¦unicode¦LATIN1"),
	hint(`^(is_)?normalize`, "", "NFC¦nfd¦NFKC¦NFKD¦x"),
	hint(`^quote_ident`, `select¦abc¦Abc¦a b¦_x¦time¦interval¦user¦name¦a1¦1a¦from¦value¦values¦level`),
	hint(`^(date_part|extract|date_trunc)\(`, "millennium¦century¦decade¦year¦quarter¦month¦week¦day¦hour¦minute¦second¦milliseconds¦microseconds¦epoch¦dow¦doy¦isodow¦isoyear¦julian¦timezone¦timezone_hour¦timezone_minute¦DAY¦y¦jan¦x¦microsecondsx", "", "UTC¦utc¦gmt¦+02"),
	hint(`^timezone\(text`, "UTC¦gmt¦Z¦+02¦-05:30¦5¦+02:30:15¦Etc/UTC"),
	hint(`^make_timestamptz\(`, "", "", "", "", "", "", "UTC¦gmt¦Z"),
	hint(`range\([a-z0-9]*,[a-z0-9]*,text`, "", "", "[]¦[)¦(]¦()¦[¦x"),
	hint(`^jsonb?_(object_field|exists|delete)`, "", "a¦b¦0¦c¦x¦¦1"),
	hint(`^jsonb?_extract_path`, "", "a¦b¦0¦-1¦1¦2¦x", "b¦0¦c¦1¦-1¦2", "c¦0¦1", "c"),
	hint(`^jsonb_set_lax`, "", "", "", "", "raise_exception¦use_json_null¦delete_key¦return_target¦x"),
	hint(`^to_(date|timestamp)\(text`, strings.Join(dateTexts, "¦"), strings.Join(readPictures, "¦")),
	hint(`^to_number`, `12¦12.5¦-12.5¦1,234.5¦1234¦ 12¦+5¦.5¦12,345.67¦-1,234,567¦0¦¦x¦5-¦12.¦1.2.3¦00012¦99999999¦- 5`, `99¦99.9¦9,999.99¦FM999¦999,999,999¦9G999D99¦0000¦9¦9.9¦S999¦999D999¦99.¦.99¦FM9,999.9¦99,9¦$99`),
	hint(`^to_char\((int|float|numeric)`, "", strings.Join(numberPictures, "¦")),
	hint(`^to_char\((timestamp|interval)`, "", strings.Join(datePictures, "¦")),
	hint(`^digest`, "", "md5¦sha1¦sha224¦sha256¦sha384¦SHA512¦x"),
	hint(`^hmac`, "", "", "md5¦sha1¦sha224¦sha256¦sha384¦SHA512"),
	hint(`^pg_size_bytes`, "10 GB¦1kB¦1.5 MB¦-3tb¦+.5 kB¦5.¦.¦¦ 7 \t¦\v2 bytes \n¦1e3¦1e-4 PB¦1E+2kb¦1e 3¦1e\t+x¦1 e¦1eB¦2 Bytes¦1 byte¦1 b¦9 PB¦8192 PB¦8191.99999999999999999999 PB¦-8192PB¦9223372036854775807¦9223372036854775808"+
		"¦0.5¦-0.5¦2.49999¦1 \u212aB¦1 kB x¦1_000¦- 1¦NaN¦1,5 MB¦1\u00a0MB¦١ kB¦1e20¦1e1000 kB¦3e-1000 kB"),
	hint(`^text2ltree`, "a.b¦a¦¦a..b¦a b¦a.b.c¦é"),
	hint(`^format\(text\)`, `a%%b¦%¦abc¦%s`),
	hint(`^format\(text,any\)`, `%s¦%I¦%L¦%s %s¦%10s¦%-10s¦%2$s %1$s¦%%¦%*s¦%-5L¦%1$s %s¦%0$s¦%5¦%d¦%3$I¦a %s b %L c %I¦%*2$s¦%-*1$s¦%1$-8s¦%99999999999s¦%s%`),
	hint(`like_escape|similar`, likes, escapes),
	hint(`like.*text\)$`, "", likes),
	hint(`^regexp_replace`, "", regexes, `x¦-¦[\1]¦\&\&¦\2\1¦\\¦\n`, "g¦i¦gi¦¦c¦x"),
	hint(`^regexp_(substr|count)`, "", regexes, "", "i¦¦c¦x", "i¦¦c¦x"),
	hint(`^regexp_instr`, "", regexes, "", "", "", "i¦¦c¦x"),
	hint(`reg|^substring\(text,text\)`, "", regexes, "i¦¦g¦c¦x"),
}

func hint(pattern string, texts ...string) struct {
	signature *regexp.Regexp
	texts     []string
} {
	return struct {
		signature *regexp.Regexp
		texts     []string
	}{regexp.MustCompile(pattern), texts}
}

// hintsOf gives the texts for an argument; nil if it may be any.
func hintsOf(signature string, i int) []string {
	for _, h := range hints {
		if h.signature.MatchString(signature) {
			if i < len(h.texts) && h.texts[i] != "" {
				return strings.Split(h.texts[i], "¦")
			}
			return nil
		}
	}
	return nil
}
