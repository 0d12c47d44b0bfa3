"""Categories: the schema.org LocalBusiness subtype of a type name or of a Korean trade."""

import re
import unicodedata

# Every subtype of schema.org/LocalBusiness, under the type it specialises; those that stand left do LocalBusiness.
_SUBTYPES: dict[str, str] = {
    "LocalBusiness": (
        "AnimalShelter ArchiveOrganization ChildCare Dentist DryCleaningOrLaundry EmploymentAgency "
        "InternetCafe Library ProfessionalService RadioStation RealEstateAgent RecyclingCenter "
        "SelfStorage ShoppingCenter TelevisionStation TouristInformationCenter TravelAgency"
    ),
    "AutomotiveBusiness": (
        "AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation "
        "MotorcycleDealer MotorcycleRepair"
    ),
    "EmergencyService": "FireStation Hospital PoliceStation",
    "EntertainmentBusiness": "AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub",
    "FinancialService": "AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency",
    "FoodEstablishment": (
        "Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant "
        "Winery"
    ),
    "GovernmentOffice": "PostOffice",
    "HealthAndBeautyBusiness": "BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor",
    "HomeAndConstructionBusiness": (
        "Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber "
        "RoofingContractor"
    ),
    "LegalService": "Attorney Notary",
    "LodgingBusiness": "BedAndBreakfast Campground Hostel Hotel Motel Resort SkiResort VacationRental",
    "MedicalBusiness": (
        "CommunityHealth Dermatology DietNutrition Emergency Geriatric Gynecologic MedicalClinic "
        "Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric Pharmacy "
        "Physician Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth "
        "CovidTestingFacility IndividualPhysician PhysiciansOffice"
    ),
    "SportsActivityLocation": "BowlingAlley ExerciseGym GolfCourse PublicSwimmingPool SportsClub StadiumOrArena TennisComplex",
    "Store": (
        "AutoPartsStore BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore "
        "ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop "
        "HomeGoodsStore JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore "
        "MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore "
        "TireShop ToyStore WholesaleStore"
    ),
}
SCHEMA_TYPES: frozenset[str] = frozenset(
    name for general, names in _SUBTYPES.items() for name in (general, *names.split())
)

_KOREAN: dict[str, str] = {
    "Restaurant": (
        "식당 음식점 맛집 레스토랑 한식 한식당 한식집 한정식 백반 국밥 국밥집 해장국 설렁탕 곰탕 "
        "냉면 냉면집 칼국수 칼국수집 막국수 고깃집 고기집 고기구이 구이집 갈비 갈비집 삼겹살 곱창 "
        "곱창집 족발 보쌈 닭갈비 찜닭 치킨 치킨집 횟집 회집 해물 해산물 해물탕 조개구이 장어 "
        "장어구이 아구찜 중식 중식당 중국집 중국음식 중국음식점 일식 일식당 일식집 초밥 초밥집 "
        "스시 라멘 돈까스 돈가스 이자카야음식점 우동 우동집 양식 양식당 이탈리안 이탈리아음식 "
        "파스타 스테이크 프랑스음식 베트남음식 쌀국수 태국음식 인도음식 멕시코음식 아시아음식 "
        "샤브샤브 뷔페 분식 분식집 떡볶이 김밥 도시락 죽 죽집 두부 두부집 순두부 쌈밥 비빔밥 "
        "생선구이 백숙 삼계탕 오리 오리고기 추어탕 감자탕 순대국 순대 부대찌개 퓨전음식 채식 비건 "
        "비건식당 기사식당 구내식당"
    ),
    "FastFoodRestaurant": "패스트푸드 패스트푸드점 햄버거 햄버거집 버거 피자 피자집 토스트 샌드위치",
    "CafeOrCoffeeShop": (
        "카페 커피 커피숍 커피전문점 커피점 다방 찻집 전통찻집 디저트 디저트카페 브런치카페 "
        "북카페 테마카페 애견카페 베이커리카페 로스터리 티하우스"
    ),
    "Bakery": "빵집 베이커리 제과 제과점 제과제빵 떡집 떡카페 케이크 케이크전문점 도넛 와플",
    "IceCreamShop": "아이스크림 아이스크림가게 젤라또 빙수 팥빙수",
    "BarOrPub": (
        "술집 주점 호프 호프집 맥주집 펍 바 포차 포장마차 실내포장마차 이자카야 와인바 칵테일바 "
        "위스키바 요리주점 전통주점 막걸리집"
    ),
    "Brewery": "양조장 맥주양조장 브루어리 수제맥주양조장",
    "Winery": "와이너리",
    "Distillery": "증류소",
    "NightClub": "클럽 나이트클럽 나이트",
    "HairSalon": "미용실 미장원 헤어샵 헤어숍 헤어살롱 헤어 이발소 이용원 바버샵 바버숍",
    "NailSalon": "네일 네일샵 네일숍 네일아트 네일케어",
    "BeautySalon": (
        "뷰티샵 뷰티숍 피부관리 피부관리실 피부샵 에스테틱 왁싱 왁싱샵 속눈썹 반영구 메이크업 "
        "메이크업샵 화장 미용"
    ),
    "DaySpa": "스파 마사지 마사지샵 찜질방 사우나 목욕탕 대중목욕탕 온천",
    "TattooParlor": "타투 타투샵 문신",
    "HealthClub": "피트니스 피트니스센터 헬스클럽 필라테스 요가 요가원 요가학원",
    "ExerciseGym": (
        "헬스장 헬스 체육관 짐 크로스핏 복싱 복싱장 클라이밍 클라이밍장 태권도 태권도장 유도관 합기도 검도관"
    ),
    "Hospital": "병원 종합병원 대학병원 요양병원 한방병원",
    "MedicalClinic": (
        "의원 내과 외과 정형외과 신경외과 신경과 안과 비뇨기과 비뇨의학과 가정의학과 통증의학과 "
        "마취통증의학과 영상의학과 한의원 클리닉 보건소"
    ),
    "Dentist": "치과 치과의원 치과병원 교정치과",
    "Dermatology": "피부과 피부과의원",
    "PlasticSurgery": "성형외과",
    "Pediatric": "소아과 소아청소년과 어린이병원",
    "Gynecologic": "산부인과 여성의원",
    "Otolaryngologic": "이비인후과",
    "Psychiatric": "정신과 정신건강의학과",
    "Physiotherapy": "물리치료 물리치료실 도수치료 재활의학과",
    "Optician": "안경점 안경 안경원 렌즈",
    "Pharmacy": "약국",
    "LodgingBusiness": "숙박 숙박업 숙박업소 숙소 펜션 풀빌라 한옥스테이 한옥체험 여관 생활숙박",
    "Hotel": "호텔 관광호텔 비즈니스호텔 부티크호텔 레지던스",
    "Motel": "모텔",
    "Hostel": "호스텔 게스트하우스",
    "BedAndBreakfast": "민박 비앤비",
    "Resort": "리조트 콘도",
    "SkiResort": "스키장",
    "Campground": "캠핑장 야영장 글램핑 오토캠핑장 카라반",
    "VacationRental": "독채 독채숙소",
    "Store": (
        "가게 상점 매장 소품샵 잡화 잡화점 편집숍 편집샵 화장품 화장품가게 기념품 기념품점 "
        "반찬가게 정육점 수산물 수산시장 문구 문구점 다이소"
    ),
    "GroceryStore": "마트 슈퍼 슈퍼마켓 식료품 식료품점 식자재마트 청과 과일가게 채소가게 정육",
    "ConvenienceStore": "편의점",
    "DepartmentStore": "백화점",
    "ShoppingCenter": "쇼핑몰 쇼핑센터 시장 전통시장 아울렛몰",
    "OutletStore": "아울렛",
    "BookStore": "서점 책방 독립서점 중고서점",
    "ClothingStore": "옷가게 의류 의류매장 의류점 여성의류 한복 한복대여",
    "MensClothingStore": "남성복 양복점 맞춤정장",
    "ShoeStore": "신발 신발가게 구두",
    "JewelryStore": "귀금속 금은방 쥬얼리 주얼리 보석",
    "Florist": "꽃집 플로리스트 꽃가게 화원 플라워샵",
    "FurnitureStore": "가구 가구점 가구매장",
    "HomeGoodsStore": "생활용품 주방용품 인테리어소품",
    "HardwareStore": "철물점 철물 공구",
    "ElectronicsStore": "전자제품 가전 가전매장",
    "ComputerStore": "컴퓨터 컴퓨터수리",
    "MobilePhoneStore": "휴대폰 휴대폰매장 핸드폰 휴대폰대리점",
    "SportingGoodsStore": "스포츠용품 등산용품 낚시 낚시용품",
    "BikeStore": "자전거 자전거점",
    "ToyStore": "장난감 완구",
    "PetStore": "애견용품 반려동물용품 애견샵 펫샵 애견미용",
    "HobbyShop": "공방 취미용품 화방",
    "MusicStore": "악기 악기점 음반",
    "LiquorStore": "주류 와인샵 보틀샵",
    "GardenStore": "원예 식물가게",
    "AutoRepair": "정비소 카센터 자동차정비 자동차수리 공업사",
    "AutoWash": "세차 세차장 손세차",
    "AutoRental": "렌터카 렌트카",
    "AutoDealer": "자동차매매 중고차",
    "TireShop": "타이어 타이어점",
    "GasStation": "주유소 충전소",
    "MotorcycleRepair": "오토바이수리 오토바이",
    "DryCleaningOrLaundry": "세탁소 빨래방 코인빨래방 세탁",
    "RealEstateAgent": "부동산 공인중개사 부동산중개",
    "TravelAgency": "여행사",
    "LegalService": "법무사 법률사무소 법무법인",
    "Attorney": "변호사 변호사사무실",
    "AccountingService": "세무사 회계사 세무회계 세무사사무소",
    "InsuranceAgency": "보험 보험대리점",
    "BankOrCreditUnion": "은행 새마을금고 신협",
    "ChildCare": "어린이집 놀이학교",
    "Library": "도서관",
    "MovieTheater": "영화관 극장",
    "ArtGallery": "갤러리 화랑 미술갤러리",
    "AmusementPark": "놀이공원 테마파크 워터파크",
    "EntertainmentBusiness": (
        "노래방 코인노래방 방탈출 방탈출카페 보드게임카페 오락실 당구장 스크린골프 만화카페 키즈카페 공연장"
    ),
    "InternetCafe": "PC방 피시방 피씨방",
    "BowlingAlley": "볼링장",
    "GolfCourse": "골프장 골프연습장",
    "PublicSwimmingPool": "수영장",
    "TennisComplex": "테니스장",
    "SportsActivityLocation": "스포츠시설 서핑 승마장 풋살장",
    "ProfessionalService": "사진관 스튜디오 사진스튜디오 인쇄소 광고대행 디자인",
    "MovingCompany": "이사 이삿짐 이삿짐센터",
    "Locksmith": "열쇠 열쇠집",
    "Plumber": "배관 설비",
    "Electrician": "전기공사 전기",
    "HousePainter": "도장 페인트",
    "GeneralContractor": "인테리어 인테리어업체 시공 리모델링 건설",
    "SelfStorage": "창고대여 셀프스토리지",
    "PostOffice": "우체국",
    "TouristInformationCenter": "관광안내소",
    "EmploymentAgency": "인력사무소 직업소개소",
}

_ENGLISH: dict[str, str] = {
    "CafeOrCoffeeShop": "cafe,coffee shop,coffeehouse,tea house",
    "BarOrPub": "bar,pub,wine bar",
    "Restaurant": "diner,bistro,korean restaurant,japanese restaurant,chinese restaurant,italian restaurant",
    "HairSalon": "barber,barber shop,barbershop,hair salon,hairdresser",
    "ExerciseGym": "gym,fitness center,fitness centre",
    "MedicalClinic": "clinic,medical clinic",
    "LodgingBusiness": "lodging,accommodation,guest house,pension",
    "Store": "shop,retail store",
    "BookStore": "bookstore,bookshop",
    "Florist": "flower shop",
    "DaySpa": "spa",
    "GroceryStore": "supermarket",
}


def _folded(text: str) -> str:
    return re.sub(r"[\s_\-·./&]+", "", unicodedata.normalize("NFKC", text)).casefold()


_BY_NAME: dict[str, str] = {_folded(name): name for name in SCHEMA_TYPES}
_BY_NAME |= {_folded(word): kind for kind, words in _KOREAN.items() for word in words.split()}
_BY_NAME |= {_folded(word): kind for kind, words in _ENGLISH.items() for word in words.split(",")}

_SCHEMA_PREFIX = re.compile(r"^(?:https?://(?:www\.)?schema\.org/|schema:)", re.IGNORECASE)
_SUFFIXES = ("전문점", "음식점", "전문", "가게", "매장")


def normalise_category(text: str) -> str | None:
    """The LocalBusiness subtype that `text` is or names, or None.

    Reads "Restaurant", "https://schema.org/CafeOrCoffeeShop", "한식당", and paths such as
    "음식점 > 한식 > 육류,고기", of which the last part that is known decides.
    """
    if len(text) > 200:
        return None
    bare = _SCHEMA_PREFIX.sub("", text.strip())
    for part in reversed(re.split(r"\s*[>,|]\s*", bare)):
        known = _lookup(part)
        if known:
            return known
    return _lookup(bare)


def is_general(category: str, *, of: str) -> bool:
    """Whether `of` is `category` or a kind of it: a Restaurant is a FoodEstablishment, everything a LocalBusiness."""
    return category in (of, "LocalBusiness") or of in _SUBTYPES.get(category, "").split()


def _lookup(part: str) -> str | None:
    folded = _folded(part)
    if folded in _BY_NAME:
        return _BY_NAME[folded]
    for suffix in _SUFFIXES:
        if folded.endswith(suffix) and folded.removesuffix(suffix) in _BY_NAME:
            return _BY_NAME[folded.removesuffix(suffix)]
    return None
