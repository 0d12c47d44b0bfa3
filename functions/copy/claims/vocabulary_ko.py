"""Korean words that claim nothing by themselves. No past tense, no 모든, 만, 보다, no word of praise.

A word is added only when no sentence made of such words, names and numbers of the facts could be untrue for it.
"""

# Nouns and words that stand as nouns do, before particles, 입니다 and 하다.
NOUNS: frozenset[str] = frozenset(
    """
    이곳 여기 가게 매장 업체 업소 상호 상호명 이름 업종 분야 위치 주소 도로명 지번 도로명주소 지번주소 우편번호
    지역 찾아오는 안내 소개 정보 문의 문의처 연락 연락처 전화 전화번호 번호 통화 질문 답변 내용 사항 자세
    개요 영업 영업시간 영업일 운영 운영시간 운영일 시간 시간대 시각 요일 날 날짜 휴무 휴무일 휴진 정기 정기휴무
    정기휴무일 휴일 쉬는날 브레이크 타임 브레이크타임 라스트오더 라스트 오더 주문 마지막 시작 마감 이용 이용시간
    방문 사용 참고 확인 판매 제공 준비 운영중 대상 메뉴 메뉴판 메뉴명 가격 가격대 가격표 요금 금액 값 항목 품목
    종류 구성 목록 상품 편의 시설 편의시설 서비스 어디 언제 무엇 무슨 어떤 얼마 어떻게 기준
    경우 가능 여부 별도 곳 것 수 때 중 등 분 시 총 쪽 문 사이 범위 각각 모두 번지 마련
    점심시간 휴게시간 접수 진료시간
    """.split()  # noqa: SIM905 - words read better as words
)
# Words that take no ending.
ADVERBS: frozenset[str] = frozenset(
    """
    및 또는 혹은 그리고 또한 또 더 네 예 다음 아래 위 함께 이 그 저희 저희는 본 각 총 자세히 로 으로 은 는 이 가
    을 를 의 에 와 과 에서 까지 부터 입니다 이며 이고 중에서 따라 대해 대한 위해 통해 관련 관한 매일 매주
    매월 어떤 몇 등을 등이 등 요 인
    """.split()  # noqa: SIM905 - words read better as words
)

# Stems of verbs and the form before 요, 서, 주세요.
STEMS: dict[str, str] = {
    "하": "해",
    "되": "돼",
    "있": "있어",
    "열": "열어",
    "닫": "닫아",
    "쉬": "쉬어",
    "팔": "팔아",
    "찾": "찾아",
    "오": "와",
    "가": "가",
    "보": "봐",
    "알": "알아",
    "묻": "물어",
    "주": "줘",
    "드리": "드려",
    "받": "받아",
    "내": "내",
    "마치": "마쳐",
    "끝나": "끝나",
    "나오": "나와",
    "따르": "따라",
    "부르": "불러",
    "고르": "골라",
    "갖추": "갖춰",
    "적히": "적혀",
    "먹": "먹어",
    "드시": "드셔",
    "마시": "마셔",
    "즐기": "즐겨",
    "만나": "만나",
    "걸": "걸어",
    "남기": "남겨",
    "궁금하": "궁금해",
    "자세하": "자세해",
    "가능하": "가능해",
    "다루": "다뤄",
    "살펴보": "살펴봐",
    "바라": "바라",
    "자리하": "자리해",
    "함께하": "함께해",
}

# Short phrases whose words alone are not harmless.
PHRASES: tuple[str, ...] = (
    "오시는 길",
    "찾아오시는 길",
    "찾아오는 길",
    "찾아가는 길",
    "가는 길",
    "방문 전",
    "방문하시기 전",
    "방문하기 전",
    "오시기 전",
    "문의가 필요",
    "확인이 필요",
    "궁금한 점",
    "궁금하신 점",
    "영문 상호",
    "영문 이름",
    "영문명",
    "한글 상호",
    "다음과 같습니다",
    "아래와 같습니다",
)

# What a place of a type may be called beside its label, and what it plainly deals in.
OF_CATEGORY: dict[str, str] = {
    "Restaurant": "음식점 식당 음식 식사 요리",
    "FoodEstablishment": "음식점 식당 음식 식사 요리",
    "FastFoodRestaurant": "음식점 식당 음식",
    "CafeOrCoffeeShop": "카페 커피숍 커피 음료",
    "Bakery": "베이커리 빵집 제과점 빵",
    "BarOrPub": "주점 술집",
    "HairSalon": "미용실 헤어숍 헤어샵 미용 머리",
    "BeautySalon": "뷰티숍 미용",
    "NailSalon": "네일숍 네일샵 네일",
    "DryCleaningOrLaundry": "세탁소 세탁",
    "ConvenienceStore": "편의점",
    "Hotel": "호텔 숙소 객실 숙박",
    "Motel": "모텔 숙소 객실 숙박",
    "Hostel": "게스트하우스 숙소 숙박",
    "BedAndBreakfast": "민박 숙소 숙박",
    "Dentist": "치과 진료",
    "MedicalClinic": "의원 진료",
    "Pharmacy": "약국 약",
    "Florist": "꽃집 꽃",
    "BookStore": "서점 책방 책",
    "ExerciseGym": "헬스장 운동",
    "Store": "상점 가게",
}
