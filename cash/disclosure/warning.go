package disclosure

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A warning is what a sentence warns of.
type warning struct {
	found bool
	pure  bool // the sentence begins with it, and may say nothing else
	at    int  // index of the telling words
}

// warningWords tell that a function is deprecated, that its effects are final, or what it is not for. They are in small
// letters. foreignWords have letters beyond ASCII.
var warningWords = []string{
	"deprecat", "obsolete", "superseded", "replaced by", "no longer", "will be removed", "end of life", "end-of-life",
	"discontinued", "be undone", "no undo", "irreversib", "irrevocabl", "unrecoverable", "not reversible", "permanent",
	"data loss", "not be recovered", "not be restored", "not be reversed", "not be reverted", "not recoverable",
	"can't be recovered", "do not use", "don't use", "never use", "not use this", "not be used", "do not call", "don't call",
	"never call", "do not run", "don't run", "never run", "not call this", "avoid using", "avoid this", "not intended",
	"not meant", "not suitable", "not recommended", "not for production", "internal use", "testing only", "with caution",
	"with care", "be careful", "without warning", "without confirmation", "will overwrite", "overwritten", "dangerous",
	"destructive", "experimental", "veraltet", "unwiderruflich", "unumkehrbar", "nicht verwenden", "nicht benutzen",
	"nicht mehr", "dauerhaft", "mit vorsicht", "ne pas utiliser", "n'utilisez pas", "ne plus utiliser", "avec prudence",
	"dangereu", "obsolet", "en desuso", "deshacer", "no usar", "no utilizar", "no lo use", "desfeit", "permanentemente",
	"con cuidado", "non usare", "annullata", "irreversibile", "non utilizzare", "niet gebruiken", "verouderd", "ongedaan",
	"onomkeerbaar", "nieodwracaln",
}

var foreignWords = []string{
	"弃用", "棄用", "废弃", "廢棄", "已过时", "不再", "撤销", "撤回", "撤銷", "不可逆", "不可恢复", "无法恢复", "無法恢復", "无法还原", "永久", "请勿", "請勿", "不要使用",
	"不得用于", "不能用于", "谨慎", "慎用", "警告", "危险", "非推奨", "廃止", "元に戻せ", "元に戻す", "取り消せ", "取り消すこと", "復元でき", "使用しない", "使わない", "完全に削除",
	"危険", "더 이상", "사용 중단", "지원 중단", "되돌릴 수 없", "취소할 수 없", "복구할 수 없", "사용하지 마", "영구", "경고", "위험", "주의", "rückgängig", "endgültig",
	"nicht für", "überschrieben", "obsolète", "déprécié", "irréversible", "être annulé", "n’utilisez pas", "définitive",
	"irreversível", "não use", "não usar", "устаре", "необратим", "отменить", "не используй", "не использовать", "безвозвратно",
	"опасно", "с осторожностью", "przestarzał", "cofnąć", "nie używaj", "kullanmayın", "geri alınamaz", "مهمل", "مهجور",
	"التراجع عن", "لا تستخدم", "لا يمكن التراجع", "نهائي", "تحذير", "अप्रचलित", "पूर्ववत नहीं", "उपयोग न करें",
}

// warningStart matches sentences that begin with a warning.
var warningStart = regexp.MustCompile(`(?i)^[\W_]{0,4}(?:` +
	`(?:warning|caution|danger|important|attention|beware|deprecat(?:ed|ion)|obsolete|legacy)(?:[^\pL\d ]|\s+(?:since|as of|in|in favou?r)\b|\s*[-–—:!.]|$)` +
	`|(?:please )?(?:do not|don't|never|avoid)\s|(?:please )?(?:use|prefer|call)\s[^.]{0,80}\binstead\b` +
	`|this\s(?:[\pL]+\s){0,2}(?:is|was|has been|will be|cannot|can not|can't)\b|it\s(?:cannot|can not|can't|is deprecated)\b|(?:cannot|can't) be\b` +
	`|use (?:this )?with (?:care|caution)|` + foreignLabels + `)`)

// foreignLabels are words before a warning in other languages.
const foreignLabels = `(?:achtung|warnung|vorsicht|veraltet|attention|avertissement|obsolète|advertencia|atención|obsoleto|precaución|atenção|aviso|cuidado|` +
	`attenzione|avviso|внимание|предупреждение|осторожно|устарело|uwaga|waarschuwing|let op|dikkat|uyarı)\s?[:：!！.—–-]` +
	`|警告|注意|已?弃用|已?废弃|已?棄用|重要|非推奨|廃止|경고|주의|تحذير|تنبيه|चेतावनी`

// warningIn finds the warning of a sentence.
func warningIn(text string) warning {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // letters whose forms differ in length would move the index
		lower = text
	}
	var w warning
	find := func(words []string) {
		for _, word := range words {
			if i := strings.Index(lower, word); i >= 0 && (!w.found || i < w.at) {
				w.found, w.at = true, i
			}
		}
	}
	find(warningWords)
	if !isASCII(lower) {
		find(foreignWords)
	} else if !slices.Contains(warningStarts, firstWord(lower)) {
		return w
	}
	label := labelled.MatchString(text)
	w.pure = (label || w.found && warningStart.MatchString(text)) && !bracketedLabel.MatchString(text)
	w.found = w.found || label
	return w
}

// warningStarts are the first words that the patterns below match in ASCII. Looking for them is much faster.
var warningStarts = []string{
	"warning", "caution", "danger", "important", "attention", "beware", "deprecated", "deprecation", "obsolete", "legacy",
	"please", "do", "don't", "never", "avoid", "use", "prefer", "call", "this", "it", "cannot", "can't", "can",
	"achtung", "warnung", "vorsicht", "veraltet", "avertissement", "advertencia", "obsoleto", "aviso", "cuidado", "attenzione", "avviso",
	"uwaga", "waarschuwing", "let", "dikkat",
}

// firstWord returns the first word of a text.
func firstWord(text string) string {
	start := strings.IndexFunc(text, unicode.IsLetter)
	if start < 0 {
		return ""
	}
	text = text[start:]
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }); end >= 0 {
		return text[:end]
	}
	return text
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

var (
	// labelled matches a label before a warning, and the advice to use something else.
	labelled = regexp.MustCompile(`(?i)^[\W_]{0,4}(?:(?:warning|caution|danger|beware|deprecat(?:ed|ion)|obsolete)(?:[^\pL\d ]|$)|(?:please )?(?:use|prefer)\s[^.]{0,80}\binstead\b|` + foreignLabels + `)`)
	// bracketedLabel matches a label with the purpose after it: (DEPRECATED) Make an order.
	bracketedLabel = regexp.MustCompile(`^[(\[（【][^()（）]{1,30}[)\]）】]\s*\S+\s+\S`)
)

var useWords = regexp.MustCompile(`(?i)^(?:(?:please )?(?:use|call|choose|prefer|try|run) (?:this|it|the tool)\b[^,;]{0,20}?\b(?:when|whenever|for|to|if|before|after)\b|use (?:when|whenever|for|to|if)\b|` +
	`(?:this (?:tool|function) is )?(?:useful|ideal|best|great|perfect|helpful|good|suitable) (?:when|for|if|to)\b)`)

// useStarts are the first words that useWords matches.
var useStarts = []string{
	"please", "use", "call", "choose", "prefer", "try", "run", "this", "useful", "ideal", "best", "great", "perfect", "helpful", "good", "suitable",
}

// tellsUse reports whether a sentence tells when to use a function.
func tellsUse(text string) bool {
	return slices.Contains(useStarts, strings.ToLower(firstWord(text))) && useWords.MatchString(text)
}
