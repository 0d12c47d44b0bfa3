"""Words that make a claim of their own: in a free sentence they are never taken from the facts, only whole names are.

With the lists of words that may be said (`vocabulary_ko`, `vocabulary_en`) a sentence would be found without these too.
They give the finding its name, and they hold where a fact happens to carry the word: a dish "원조국밥" lets nobody call
the place 원조.
"""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from shared.prose.texts import lowered

Claim: TypeAlias = Literal[
    "praise",  # superlatives, taste, atmosphere, service, tradition
    "award",  # awards, press, broadcasts
    "certification",  # certificates and diets
    "origin",  # where ingredients come from
    "health",
    "offer",  # discounts, gifts, events, guarantees
    "comparison",
    "review",  # ratings, opinions and numbers of guests
    "negation",
]

_KOREAN: dict[Claim, str] = {
    "award": r"""
        미쉐린|미슐랭|블루\s?리본|빕\s?구르망|수상|상을 받|대상을|우승|선정|지정된|지정되|백년\s?가게|
        모범\s?음식점|착한\s?가격|방송|출연|TV|티비|텔레비전|뉴스|신문|잡지|언론|매스컴|화제|
        소개된 (?:곳|집|가게|맛)|소개된 식당|드라마|촬영지|생활의\s?달인|달인|명인|장인|대한민국 ?명장|
        무형문화재|허영만|백종원|흑백요리사|가이드에|어워드|1등|일등|등재
    """,
    "certification": r"""
        HACCP|해썹|인증|유기농|무농약|무항생제|친환경|GMO|글루텐|비건|채식|할랄|코셔|KC마크|ISO|특허|자격증|
        면허|허가|무첨가|무방부제|동물복지|공정무역|저염|무가당|위생\s?등급
    """,
    "origin": r"""
        국내산|국산|수입산|원산지|산지|직송|직거래|현지|로컬|
        (?:제주|강원|전남|전라도|경상도|충청도|남해|동해|서해|완도|통영|의성|이천|횡성|호주|미국|노르웨이|중국|칠레|이탈리아|프랑스|에티오피아|콜롬비아|브라질|뉴질랜드)\s?산(?![가-힣]*[동로길])|
        한우|토종|자연산|양식|햇(?:쌀|감자|콩)|신토불이|직접 (?:재배|기른|키운|잡은|담근)|텃밭|농장
    """,
    "health": r"""
        건강|면역|다이어트|디톡스|해독|피로|회복|효능|효과|보양|보신|몸에 좋|영양|소화|혈액|혈압|당뇨|항암|노화|
        피부에|숙취|해장|치료|예방|완치|통증|저칼로리|칼로리|웰빙|힐링|스트레스|항산화|콜레스테롤
    """,
    "review": r"""
        평점|별점|별\s?다섯|후기|리뷰|평가|호평|만족|입소문|재방문|단골|줄을 서|줄 서|웨이팅|북적|붐비|
        많은 (?:손님|분|사람|이)|사랑\s?받|찾는 (?:이|분|사람|손님)|발길|팔로워|누적|매진|완판|품절|베스트\s?셀러|인정\s?받|검증|
        유명인|연예인|단골손님|현지인|관광객
    """,
    "offer": r"""
        무료|공짜|할인|쿠폰|이벤트|프로모션|증정|사은품|서비스로|덤으로|적립|포인트|세일|특가|반값|1\+1|환불|
        보장|보증|책임지|약속|기념|오픈\s?예정|오픈\s?기념|그랜드\s?오픈|신규\s?오픈|새로 (?:열|오픈)|
        곧 (?:열|오픈)|한정|선착순|기간|무한\s?리필|리필|무제한|당일\s?배송|무이자|상품권|지원금|추첨|
        주문하(?:시)?면(?= .{0,20}(?:드립|드리|드려|제공))
    """,
    "comparison": r"""
        보다|가장|제일|유일|최초|최대|최다|최저|최상|최신|더 (?:맛|싸|저렴|좋|크|넓|많|빠|나)|
        다른 (?:곳|가게|식당|집|업체|카페|매장)|여느|비해|비교|독보|차별|으뜸|손꼽|최저가|저렴|합리적|가성비|
        착한 가격|경쟁|압도|단연|월등|못지않|남다른|색다른|특별|하나뿐
    """,
    "praise": r"""
        맛(?!보)|별미|최고|최강|인기|유명|강추|추천|소문난|숨은|숨겨진|명소|원조|일품|으뜸|훌륭|뛰어난|탁월|
        완벽|환상|감동|대표|시그니처|자랑|자부|명물|명품|프리미엄|고급|럭셔리|정통|전통|오랜|오래된|역사|노하우|
        비법|비결|전문가|전문적|정성|엄선|신선|싱싱|푸짐|넉넉|풍성|풍부|진한|깊은|깊고|담백|고소|쫄깃|부드러|
        바삭|촉촉|달콤|매콤|얼큰|시원한|구수|감칠맛|향긋|아늑|편안|쾌적|깔끔|깨끗|청결|세련|모던|감성|분위기|
        인테리어|뷰\s?맛집|전망|경치|친절|세심|따뜻|정겨|가족\s?같|행복|즐거|만끽|믿고|믿을|신뢰|안심|안전|소중|
        사랑|매력|핫플|필수|꼭 (?:가|들|와|먹|방문)|놓치|강력|베스트|넘버원|no\.?\s?1|최적|안성맞춤|좋은|좋습|
        좋아|예쁜|아름다|멋진|멋스|특색|개성|독특|다양|다채|알찬|든든|한결같|변함|꾸준|열정|세계적|
        국내\s?(?:최|유)|정평|이름난|손맛|집밥|수제|손수
    """,
    "negation": r"""
        않|없|못\s?(?:하|합|해|한|할|먹|갑|가|드|받)|아니|아닙|아닌|안\s?(?:되|됩|된|돼|해|합|받|하)|불가|금지|
        마세요|마십시오|말아|미제공|제외|어렵|어려|힘듭|불편|제한|중단|폐업|휴업|취소
    """,
}
_ENGLISH: dict[Claim, str] = {
    "award": r"""
        michelin|bib gourmand|blue ribbon|award\w*|prizes?|medals?|winn(?:er|ers|ing)|won (?:the|an?)|honou?red|
        featured|as seen|tv|television|broadcast\w*|news\w*|magazines?|press|media|documentar\w+|drama|critics?|
        acclaim\w*|nominat\w+|guide\b|ranked|recogni[sz]ed|selected|designated|celebrit\w+|masterchef|
        hall of fame
    """,
    "certification": r"""
        certif\w+|organic\w*|vegan\w*|vegetarian\w*|halal|kosher|gluten\w*|haccp|iso|gmo|non-gmo|licen[cs]\w+|
        accredit\w+|patent\w*|cruelty\w*|fair[ -]trade|antibiotic\w*|pesticide\w*|additive\w*|preservative\w*|
        sugar-free|dairy-free|qualified|eco\w*|sustainab\w+|approved
    """,
    "origin": r"""
        local|locally|sourced|farm\w*|domestic\w*|imported|homegrown|home-grown|homemade|home-made|handmade|
        hand-made|house-made|jeju-grown|grown|caught|wild|free-range|grass-fed|
        korean (?:beef|pork|chicken|rice|ingredients)|hanwoo|origin\w*|authentic\w*|ingredients?|
        from the (?:market|farm|sea|garden)|made (?:in|with|from|of|by(?! (?:tele)?phone))
    """,
    "health": r"""
        health\w*|detox\w*|nutrit\w+|immun\w+|diet\w*|low[- ]calorie|calorie\w*|wellness|heal(?:s|ing)?|
        cur(?:e|es|ing)|therap\w+|antioxidant\w*|energi\w+|digest\w+|slimming|vitamin\w*|medicinal|restorative|
        hangover|anti-aging|relief|pain|stress\w*
    """,
    "review": r"""
        rated|ratings?|reviews?|reviewers?|stars?|starred|testimonial\w*|feedback|loved?|loves|beloved|adored?|
        satisf(?:ied|y|ying)|happy|regulars?|repeat|crowds?|crowded|queues?|followers|fans?|sold[- ]out|busy|
        trusted|locals|tourists|word of mouth|visited by
    """,
    "offer": r"""
        free|complimentary|discount\w*|coupons?|vouchers?|sale|promotion\w*|promo|deals?|special offer|
        specials?|gifts?|giveaway\w*|guarante\w+|warrant\w+|refund\w*|unlimited|bonus|loyalty|rewards?|events?|
        limited|opening soon|coming soon|grand opening|newly opened|soon|half[- ]price|cashback|promis\w+|
        money[- ]back|refills?|orders? includ\w+|
        (?:orders?|ask|visit|call)(?: us)? and (?:we|you|they)? ?(?:can |may )?(?:get|have|take|provide|offer|serve)\w*
    """,
    "comparison": r"""
        better|cheaper|cheapest|larger|largest|bigger|biggest|faster|fastest|than|only|unlike|compared?|
        comparison|competit\w+|rivals?|leading|unmatched|unrivall?ed|superior|unique\w*|affordable|reasonabl\w+|
        lowest|highest|others|exclusive\w*|value for money|oldest|newest|first[- ]class|second to none|
        one of the|the place (?:to|for)|the spot
    """,
    "praise": r"""
        best|finest|great\w*|good(?! to know)|famous|popular|renowned|well-known|known for|
        must[- ](?:visit|try|see|eat)|hidden|gems?|number one|no\. ?1|#1|top\w*|delicious\w*|tast[ey]\w*|
        flavou?r\w*|savou?ry|mouth-?watering|yummy|fresh\w*|rich|hearty|tender|crispy|juicy|aromatic|fragrant|
        quality|premium|luxur\w+|exquisite|excellent|exceptional|outstanding|amazing|wonderful|fantastic|
        perfect\w*|beautiful\w*|lovely|charming|cozy|cosy|warm\w*|friendly|welcoming|attentive|hospitab\w+|
        hospitality|atmosphere|ambian?ence|ambience|vibe\w*|comfortable|clean|modern|stylish|trendy|elegant|
        relax\w*|peaceful|quiet|romantic|signature|special\w*|favou?rites?|recommend\w*|traditional\w*|
        tradition|heritage|histor\w+|legendary|iconic|expert\w*|experienced|professional\w*|skilled|passion\w*|
        dedicat\w+|proud\w*|pride|love|carefully|care|generous|ideal\w*|convenient\w*|conveniently|nearby|easy|
        easily|vibrant|scenic|views?|spacious|memorable|unforgettable|original|true|real|genuine|classic|superb|
        prime|ultimate|world|safe\w*|reliable
    """,
    "negation": r"""
        no|not|never|none|nor|neither|nothing|without|cannot|\w+n['’]t|unavailable|unable|except|excluding|
        prohibited|forbidden|banned|cancel\w*|suspend\w*|discontinu\w+|closed (?:down|permanently|for good)
    """,
}


def _compiled(lists: dict[Claim, str], *, words: bool) -> list[tuple[Claim, re.Pattern[str]]]:
    """Every list as one pattern for text in lower case; line breaks in the lists are for the reader."""
    patterns = []
    for kind, text in lists.items():
        alternatives = "".join(line.strip() for line in text.strip().splitlines())
        pattern = rf"(?<![\w-])(?:{alternatives})(?![\w])" if words else alternatives.lower()
        patterns.append((kind, re.compile(pattern)))
    return patterns


_OF_KOREAN = _compiled(_KOREAN, words=False)
_OF_ENGLISH = _compiled(_ENGLISH, words=True)
_HANGUL, _LATIN = re.compile("[가-힣]"), re.compile("[a-zA-Z#+1]")


def suspects_in(text: str) -> list[tuple[Claim, int, int]]:
    """The claims in the text: kind, begin and end."""
    small = lowered(text)
    lists = [
        *(_OF_KOREAN if _HANGUL.search(text) or _LATIN.search(text) else ()),
        *(_OF_ENGLISH if _LATIN.search(text) else ()),
    ]
    return [(kind, *match.span()) for kind, pattern in lists for match in pattern.finditer(small)]


def says_no(text: str) -> bool:
    """Whether something is denied in the text."""
    return any(kind == "negation" for kind, _, _ in suspects_in(text))


def without_suspects(text: str) -> str:
    """The text with its claims taken out."""
    return without(text, suspects_in(text))


def without(text: str, suspects: Iterable[tuple[Claim, int, int]]) -> str:
    """The text with blanks where its claims stood."""
    kept = list(text)
    for _, start, end in suspects:
        kept[start:end] = " " * (end - start)
    return "".join(kept)
