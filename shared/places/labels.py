"""What keys and categories are called in front of readers, in Korean and English."""

import re

from shared.places.models import Locale

# schema.org type: Korean name. The English one is the type's own words unless _ENGLISH says otherwise.
_KOREAN_CATEGORIES = """
LocalBusiness 업체
AnimalShelter 동물보호소
ArchiveOrganization 기록관
ChildCare 보육시설
Dentist 치과
DryCleaningOrLaundry 세탁소
EmploymentAgency 직업소개소
InternetCafe PC방
Library 도서관
ProfessionalService 전문 서비스
RadioStation 라디오 방송국
RealEstateAgent 부동산 중개
RecyclingCenter 재활용센터
SelfStorage 물품 보관
ShoppingCenter 쇼핑센터
TelevisionStation 텔레비전 방송국
TouristInformationCenter 관광안내소
TravelAgency 여행사
AutomotiveBusiness 자동차 업체
AutoBodyShop 자동차 판금·도장
AutoDealer 자동차 판매점
AutoPartsStore 자동차 부품점
AutoRental 렌터카
AutoRepair 자동차 정비소
AutoWash 세차장
GasStation 주유소
MotorcycleDealer 오토바이 판매점
MotorcycleRepair 오토바이 정비소
EmergencyService 응급 서비스
FireStation 소방서
Hospital 병원
PoliceStation 경찰서
EntertainmentBusiness 오락 시설
AdultEntertainment 성인 오락 시설
AmusementPark 놀이공원
ArtGallery 갤러리
Casino 카지노
ComedyClub 코미디 클럽
MovieTheater 영화관
NightClub 클럽
FinancialService 금융 서비스
AccountingService 세무·회계
AutomatedTeller 현금자동입출금기
BankOrCreditUnion 은행
InsuranceAgency 보험 대리점
FoodEstablishment 음식점
Bakery 베이커리
BarOrPub 주점
Brewery 양조장
CafeOrCoffeeShop 카페
Distillery 증류소
FastFoodRestaurant 패스트푸드점
IceCreamShop 아이스크림 가게
Restaurant 음식점
Winery 와이너리
GovernmentOffice 관공서
PostOffice 우체국
HealthAndBeautyBusiness 건강·미용
BeautySalon 뷰티숍
DaySpa 스파
HairSalon 미용실
HealthClub 피트니스 센터
NailSalon 네일숍
TattooParlor 타투숍
HomeAndConstructionBusiness 집수리·시공
Electrician 전기 공사
GeneralContractor 인테리어·시공
HVACBusiness 냉난방 설비
HousePainter 도장 공사
Locksmith 열쇠 수리
MovingCompany 이사 업체
Plumber 배관·설비
RoofingContractor 지붕 공사
LegalService 법률 서비스
Attorney 변호사
Notary 공증인
LodgingBusiness 숙박 시설
BedAndBreakfast 민박
Campground 캠핑장
Hostel 게스트하우스
Hotel 호텔
Motel 모텔
Resort 리조트
SkiResort 스키장
VacationRental 독채 숙소
MedicalBusiness 의료기관
CommunityHealth 지역 보건
CovidTestingFacility 코로나19 검사소
Dermatology 피부과
DietNutrition 영양 상담
Emergency 응급 의료
Geriatric 노인 의료
Gynecologic 산부인과
IndividualPhysician 의사
MedicalClinic 의원
Midwifery 조산원
Nursing 간호 서비스
Obstetric 산과
Oncologic 종양 진료
Optician 안경점
Optometric 검안
Otolaryngologic 이비인후과
Pediatric 소아청소년과
Pharmacy 약국
Physician 의원
PhysiciansOffice 의원
Physiotherapy 물리치료
PlasticSurgery 성형외과
Podiatric 족부 진료
PrimaryCare 일차 진료
Psychiatric 정신건강의학과
PublicHealth 공중보건
SportsActivityLocation 스포츠 시설
BowlingAlley 볼링장
ExerciseGym 헬스장
GolfCourse 골프장
PublicSwimmingPool 수영장
SportsClub 스포츠 클럽
StadiumOrArena 경기장
TennisComplex 테니스장
Store 상점
BikeStore 자전거점
BookStore 서점
ClothingStore 옷가게
ComputerStore 컴퓨터 매장
ConvenienceStore 편의점
DepartmentStore 백화점
ElectronicsStore 전자제품 매장
Florist 꽃집
FurnitureStore 가구점
GardenStore 원예점
GroceryStore 식료품점
HardwareStore 철물점
HobbyShop 취미용품점
HomeGoodsStore 생활용품점
JewelryStore 귀금속점
LiquorStore 주류 판매점
MensClothingStore 남성복점
MobilePhoneStore 휴대폰 매장
MovieRentalStore 비디오 대여점
MusicStore 악기·음반점
OfficeEquipmentStore 사무용품점
OutletStore 아울렛
PawnShop 전당포
PetStore 반려동물용품점
ShoeStore 신발 가게
SportingGoodsStore 스포츠용품점
TireShop 타이어점
ToyStore 장난감 가게
WholesaleStore 도매점
"""
_KOREAN: dict[str, str] = dict(line.split(" ", 1) for line in _KOREAN_CATEGORIES.strip().splitlines())
_ENGLISH: dict[str, str] = {
    "LocalBusiness": "Local business",
    "CafeOrCoffeeShop": "Café",
    "BarOrPub": "Bar",
    "FoodEstablishment": "Restaurant",
    "DryCleaningOrLaundry": "Laundry",
    "BankOrCreditUnion": "Bank",
    "StadiumOrArena": "Stadium",
    "HealthAndBeautyBusiness": "Health and beauty",
    "HomeAndConstructionBusiness": "Home and construction",
    "HVACBusiness": "Heating and air conditioning",
    "LodgingBusiness": "Lodging",
    "MedicalBusiness": "Medical practice",
    "MensClothingStore": "Men's clothing store",
    "PhysiciansOffice": "Doctor's office",
    "IndividualPhysician": "Doctor",
    "Physician": "Doctor",
    "Store": "Shop",
    "AutomatedTeller": "Cash machine",
    "BookStore": "Bookshop",
    "VacationRental": "Holiday home",
}

_KEYS: dict[str, tuple[str, str]] = {
    "name": ("상호", "Name"),
    "name_en": ("영문 상호", "Name in English"),
    "aliases": ("다른 이름", "Also known as"),
    "category": ("업종", "Category"),
    "phone": ("전화", "Phone"),
    "road_address": ("도로명 주소", "Address"),
    "lot_address": ("지번 주소", "Lot address"),
    "geo": ("위치", "Location"),
    "hours": ("영업시간", "Opening hours"),
    "menu": ("메뉴", "Menu"),
    "website": ("웹사이트", "Website"),
    "sns": ("소셜 미디어", "Social media"),
    "price_range": ("가격대", "Price range"),
    "amenities": ("편의시설", "Amenities"),
    "summary": ("소개", "About"),
    "business_number": ("사업자등록번호", "Business registration number"),
    "email": ("이메일", "Email"),
    "fax": ("팩스", "Fax"),
    "parking": ("주차", "Parking"),
    "directions": ("찾아오는 길", "How to get there"),
    "access": ("교통", "Access"),
    "reservation": ("예약", "Reservations"),
    "payment": ("결제 수단", "Payment"),
    "owner": ("대표자", "Owner"),
    "founded": ("개업", "Opened"),
    "seats": ("좌석", "Seats"),
    "capacity": ("수용 인원", "Capacity"),
    "languages": ("사용 언어", "Languages spoken"),
    "delivery": ("배달", "Delivery"),
    "takeout": ("포장", "Takeout"),
    "wifi": ("와이파이", "Wi-Fi"),
    "notice": ("안내", "Notice"),
    "story": ("이야기", "Story"),
    "specialty": ("대표 메뉴", "Speciality"),
    "check_in": ("체크인", "Check-in"),
    "check_out": ("체크아웃", "Check-out"),
    "rooms": ("객실", "Rooms"),
}


def category_label(category: str, locale: Locale) -> str:
    """What the schema.org type is called: "음식점", "Hair salon". A type without a name of its own in Korean is an 업체."""
    if locale == "ko":
        return _KOREAN.get(category, _KOREAN["LocalBusiness"])
    if category in _ENGLISH:
        return _ENGLISH[category]
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+", category) or [category]
    return " ".join(word if index == 0 else word.lower() for index, word in enumerate(words))


def fact_label(key: str, locale: Locale) -> str:
    """What the key of a fact is called.

    A key that nobody named is the only label there is: its words stand as the owner gave them, in English with a capital
    as every label there. We neither translate it nor set it as if it were Korean.
    """
    if key in _KEYS:
        return _KEYS[key][0 if locale == "ko" else 1]
    words = key.replace("_", " ").strip()
    return words if locale == "ko" else words[:1].upper() + words[1:]
