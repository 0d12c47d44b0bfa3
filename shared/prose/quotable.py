"""What of a confirmed text may stand in prose.

Owners write freely, and a website fills in names and menus. A text that speaks to the model, carries markup or an
address of the web is confirmed as it stands in its own field of the page; it is not made part of a sentence.
"""

import re

from shared.prose.texts import folded, lowered, sentences_of, shown

# All of these are for text in lower case.
_MARKUP = re.compile(
    r"</?[a-z!?][^>]*>?|&(?:[a-z]+|#x?[0-9a-f]+);|!?\[[^\]]*\]\([^)]*\)?|`|\*\*|__|~~|\{[{%]|[}%]\}|\\[nux]|"
    r"(?:^|\s)#{1,6}\s|^\s*[-*>]\s|\|.*\||[{}\\<>]|javascript:|"
    r"[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]",
)
_WEB = re.compile(
    r"\b[a-z][a-z+.-]*://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])@\w{2,}|"
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|kr|co|io|shop|store|site|example|info|biz|me|app|ly|gl|link|xyz|dev|test|top|ru|cn)"
    r"(?![a-z0-9])(?:/\S*)?|\b\w+\[dot\]\w+|(?<!\w)(?:인스타그램|인스타|카카오톡|카톡|유튜브|페이스북|블로그|네이버\s?예약|플러스\s?친구|"
    r"instagram|facebook|youtube|tiktok|twitter|whatsapp|telegram|kakaotalk)(?![a-z])",
)
# Words of a conversation with a model, as a text about a place never has them.
_LEAK = re.compile(
    r"\bas an? (?:ai|llm|assistant|language model)\b|\b(?:language|ai) model\b|"
    r"\bi(?:'m| am) (?:an? )?(?:ai|assistant|unable|sorry)\b|"
    r"\bsystem\s?(?:prompt|message|instructions?)\b|\bprompts?\b|\binstructions?\b|\bjailbr\w+|\bdeveloper mode\b|"
    r"\b(?:assistant|system|user)\s*:|\bi (?:can(?:not|'t)|won't|will not)\b|\bgemini\b|\bchatgpt\b|\bopenai\b|\bapi key\b|"
    r"\bjson\b|\bschema\b|\bplaceholder\b|\blorem\b|\bundefined\b|\bnull\b|\bpwned\b|\bhacked\b|"
    r"인공\s?지능|언어\s?모델|시스템\s?(?:프롬프트|메시지|지시|명령)|프롬프트|지시\s?(?:사항|문|를|대로)|명령(?:어|을|대로)|"
    r"(?:ai|에이아이)\s?(?:모델|어시스턴트|비서|입니다|로서)|어시스턴트|탈옥|해킹|챗\s?봇",
)
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|overrule)\b.{0,60}\b(?:above|previous|prior|earlier|all|any|rules?|facts?|"
    r"instructions?|prompts?|everything)\b|"
    r"\byou (?:are|must|should|will|have to) (?:now )?(?:a|an|the|act|always|write|say|add|include|call|mention|claim|not|now)\b|"
    r"\b(?:write|say|print|output|respond|reply|answer|repeat|insert|append|translate|include|mention|claim|state|add|tell|"
    r"describe|present|rewrite)\b(?: \w+){0,3} (?:that|with|as|only|exactly|the following|everyone|them|this|it|in every|"
    r"the (?:sentence|phrase|word|words|text|title|summary))\b|"
    r"(?:^|[.!:\"'(\n]\s*)(?:please )?(?:write|say|print|output|respond|reply|repeat|insert|append|mention|claim|state|"
    r"pretend|act|obey|follow)\b\W|"
    r"\bnew (?:rules?|instructions?|task|role)\b|\b(?:note|message) (?:to|for) (?:the )?(?:ai|model|writer|assistant)\b|"
    r"\bimportant\s*:|\badmin(?:istrator)? (?:mode|override)\b|\bbegin (?:system|admin)\b|\bend of (?:facts|data)\b|"
    r"\[/?(?:inst|sys|system)\]|<\|?/?(?:im_|system|user|assistant|facts|inst)|^#{2,}|"
    r"(?:이전|앞선|앞의|위의?|기존|모든|지금까지의?).{0,20}(?:지시|명령|규칙|지침|설정|내용|사실).{0,12}(?:무시|잊|따르지|버리|취소|어기)|"
    r"(?:규칙|지침|사실|제한)(?:을|를|은|는)?\s?(?:무시|잊|따르지)|"
    r"(?:너|넌|당신|귀하)(?:는|은|의)?\s?(?:이제|지금부터|앞으로|반드시)|지금부터\s?(?:너|당신|모든)|"
    r"(?:이?라고|다고|라는 (?:말|문장|문구)[을를]?|[\"'”’」]\s?(?:을|를|라고|이라고)?)\s?(?:꼭|반드시|그대로|항상)?\s?"
    r"(?:써|쓰|적|작성|출력|말해|말하|소개해|소개하|표시|언급|포함|넣|강조|홍보|답)(?!었|혔|힌)|"
    r"(?:그대로|반드시|무조건|항상|꼭)\s?(?:출력|작성|포함|써|적어|넣어|언급|강조|홍보)|"
    r"(?:출력|작성|언급|강조|홍보|추가)(?:해라|하라|하시오|할 것|하세요|해줘|해 줘|해야)|"
    r"(?:작성자|모델|ai|인공지능)(?:에게|는|은|께|,)",
)
_ORNAMENT = re.compile("[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff♡♥]+")
_LONGEST_NAME = 60  # characters; a longer one is a sentence, not a name


_MARKS = re.compile(
    "[<>&\\[`*_~{}\\\\#|\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff-]|script:"
)
_PARTS_OF_ADDRESSES = (
    ".",
    "@",
    "://",
    "dot]",
    "인스타",
    "카카오톡",
    "카톡",
    "유튜브",
    "페이스북",
    "블로그",
    "네이버",
    "플러스",
)
_NETWORKS = ("instagram", "facebook", "youtube", "tiktok", "twitter", "whatsapp", "telegram", "kakaotalk")
# One of these stands in whatever the two patterns match; looking for them first spares honest sentences the patterns.
_TRIGGERS = """
    as a|model|prompt|instruction|system|assistant|user|i can|i won|i will|i'm|i am|gemini|chatgpt|
    openai|api key|json|schema|placeholder|lorem|undefined|null|pwned|hacked|jailbr|developer|ignor|
    disregard|forget|overr|bypass|you are|you must|you should|you will|you have|write|say|print|output|
    respond|reply|answer|repeat|insert|append|translate|mention|claim|state|add |tell|describe|present|
    include|pretend|act |act:|obey|follow|new |important|admin|note |note:|message|begin |end of|[|<|##|
    인공|언어|시스템|프롬프트|지시|명령|ai|에이아이|어시|탈옥|해킹|챗|무시|잊|따르지|버리|취소|어기|너|
    넌|당신|귀하|지금부터|고 |라고|라는|다고|그대로|반드시|무조건|항상|꼭|출력|작성|언급|강조|홍보|추가|
    모델|"|'|”|’|」|
"""
_TRIGGER = tuple(t for line in _TRIGGERS.strip().splitlines() for t in line.lstrip().split("|") if t)


def leaks_in(small: str) -> list[str]:
    """The words of a conversation with a model in a text in lower case, instructions to it among them."""
    if not any(trigger in small for trigger in _TRIGGER):
        return []
    return [match.group() for pattern in (_LEAK, _INSTRUCTION) for match in pattern.finditer(small)]


def marks_in(small: str) -> list[str]:
    """Markup and pictures in a text in lower case."""
    return [match.group() for match in _MARKUP.finditer(small)] if _MARKS.search(small) else []


def addresses_in(small: str) -> list[str]:
    """Addresses of the web, of mail and of networks in a text in lower case."""
    if not any(part in small for part in (*_PARTS_OF_ADDRESSES, *_NETWORKS)):
        return []
    return [match.group() for match in _WEB.finditer(small)]


def speaks_to_the_model(text: str) -> bool:
    """Whether the text reads as an instruction to a model, or as the frame of one."""
    return bool(leaks_in(lowered(folded(text))))


def is_plain(text: str) -> bool:
    """Whether the text is nothing but words: no markup, no address of the web, no instruction."""
    plain = lowered(folded(text))
    return bool(plain) and not (marks_in(plain) or addresses_in(plain) or leaks_in(plain))


def plain_name(name: str | None) -> str | None:
    """A name as it may be said, without stars and hearts around it; None for what is no name."""
    said = " ".join(_ORNAMENT.sub(" ", shown(name or "")).split())
    return said if len(said) <= _LONGEST_NAME and is_plain(said) else None


def name_before_anything_else(name: str) -> str | None:
    """The beginning of a name that has become more than one: "봄날" of "봄날 <b>…"."""
    return plain_name(re.split(r"[<>\[{|(\n:!?]|https?:|www\.|\.\s", shown(name), maxsplit=1)[0])


def plain_text(text: str | None) -> str | None:
    """The sentences that may be said again; None when none may.

    A text that speaks to the model anywhere is left out whole: what stands around an instruction serves it.
    """
    if text is None or speaks_to_the_model(text):
        return None
    kept = [sentence for sentence in sentences_of(text) if is_plain(sentence)]
    return " ".join(kept) or None
