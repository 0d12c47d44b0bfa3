"""Common words of trades in both languages: where a fact has the one, the other may be said.

A dish or a ware of this list that no fact has is an invention; so it is of every word that stands in no list at all.
"""

import re

# Korean words | English words; "rice+soup" is said in one, neither word alone
_TABLE = """
국수 국숫집 국수집 | noodle noodles
칼국수 | kalguksu knife-cut noodle noodles
비빔국수 | bibim-guksu mixed noodle noodles
잔치국수 | janchi-guksu noodle noodles
콩국수 | kongguksu noodle noodles soy+milk+noodles
냉면 | naengmyeon noodle noodles cold+noodles
라면 | ramyeon instant+noodles
라멘 | ramen
우동 | udon
생면 | noodle noodles
면 | noodle noodles
국밥 | gukbap rice+soup
비빔밥 | bibimbap
볶음밥 | fried+rice
김밥 | gimbap kimbap
덮밥 | rice+bowl rice+bowls
초밥 스시 | sushi
만두 | mandu dumpling dumplings
물만두 | dumpling dumplings mandu boiled+dumplings
군만두 | dumpling dumplings mandu fried+dumplings
찐빵 | steamed+bun steamed+buns
김치 | kimchi
찌개 | jjigae stew
된장찌개 | doenjang-jjigae stew soybean+paste+stew
김치찌개 | kimchi-jjigae stew kimchi+stew
순두부 | sundubu tofu soft+tofu
두부 | tofu
곰탕 설렁탕 갈비탕 삼계탕 | soup
전골 | hot+pot
파전 해물파전 | pajeon pancake
떡볶이 | tteokbokki
순대 | sundae
튀김 | tempura
치킨 | chicken
닭 닭갈비 | chicken dakgalbi
삼겹살 | samgyeopsal pork+belly
돼지고기 | pork
소고기 쇠고기 | beef
갈비 | galbi ribs
불고기 | bulgogi
고기 고깃집 | meat
족발 | jokbal
보쌈 | bossam
돈까스 돈가스 | pork+cutlet pork+cutlets
생선 | fish
생선구이 | grilled+fish
해물 해산물 | seafood
바지락 | clam clams
새우 | shrimp
굴 | oyster oysters
오징어 | squid
낙지 | octopus
육수 | broth
국물 | broth soup
반찬 | side+dish side+dishes
반죽 | dough kneaded
밥 | rice
채소 야채 | vegetables
샐러드 | salad salads
파스타 | pasta
피자 | pizza
버거 햄버거 | burger burgers
스테이크 | steak
샌드위치 | sandwich sandwiches
토스트 | toast
빵 빵집 | bread
식빵 | bread
케이크 | cake cakes
쿠키 | cookie cookies
크루아상 | croissant croissants
소금빵 | salt+bread
디저트 | dessert desserts
커피 | coffee
아메리카노 | americano
라떼 | latte lattes
카푸치노 | cappuccino
에스프레소 | espresso
핸드드립 | pour-over hand-drip
원두 | beans
녹차 | green+tea
홍차 | black+tea
주스 | juice juices
에이드 | ade
스무디 | smoothie smoothies
음료 | drinks drink beverages
아이스크림 | ice+cream
빙수 팥빙수 | bingsu shaved+ice
떡 | rice+cake rice+cakes tteok
한과 | hangwa
맥주 | beer beers
생맥주 | draft+beer
소주 | soju
막걸리 | makgeolli
와인 | wine wines
칵테일 | cocktail cocktails
위스키 | whisky whiskey
안주 | bar+snacks
한식 한식당 | korean+food korean+dishes
중식 중식당 중국집 | chinese+food
일식 일식당 | japanese+food
양식 | western+food
분식 분식집 | snacks
커트 컷 | cut cuts haircut haircuts
펌 파마 | perm perms
염색 | colour color colouring coloring dye
드라이 | blow-dry styling
클리닉 | treatment treatments
샴푸 | shampoo
네일 | nail nails
젤네일 | nails gel+nails
속눈썹 | eyelash eyelashes
마사지 | massage massages
피부관리 | skin+care
왁싱 | waxing
수선 | alterations repairs
드라이클리닝 | dry+cleaning
운동화 | sneakers shoes
이불 | bedding
꽃 꽃집 | flower flowers
꽃다발 | bouquet bouquets
화분 | plants
책 | book books
문구 | stationery
안경 | glasses
렌즈 | lenses
자전거 | bicycle bicycles bikes
타이어 | tyre tyres tire tires
세차 | car+wash
정비 | repair repairs
요가 | yoga
필라테스 | pilates
헬스 | gym
수영 | swimming
임플란트 | implants implant
스케일링 | scaling
교정 | orthodontics
객실 | room rooms
조식 | breakfast
"""
_ROWS = [
    (korean.split(), [expression.replace("+", " ") for expression in english.split()])
    for korean, _, english in (line.partition(" | ") for line in _TABLE.strip().splitlines())
]
_SHORTEST_PART = (
    2  # syllables of a word that counts inside a longer one: "국수" in "달그릇국수", but not "면" in "면허"
)


def carried_words(texts: str) -> tuple[set[str], set[str]]:
    """The Korean words and English expressions of the list that the texts of the facts carry, in either language."""
    english_words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", texts.lower()))
    korean_words = set(re.findall(r"[가-힣]+", texts))
    korean: set[str] = set()
    english: set[str] = set()
    for ours, theirs in _ROWS:
        said = [
            word for word in ours if word in korean_words or (len(word) >= _SHORTEST_PART and word in texts)
        ]
        if said:
            korean.update(said)
            english.update(theirs)
        elif len(theirs[0]) > 3 and theirs[0] in english_words and len(theirs) <= 2:
            korean.update(ours)
            english.update(theirs)
    return korean, english
