"""Sentences as a model writes them: what the facts of `confirmed.PLACES` carry, and what it made up.

A line is: place, language (and part of the page), verdict, sentence. The verdict is `ok`, or the kind under which the
invention must be found, `bad` where any will do.
"""

from typing import NamedTuple, cast

from functions.copy.claims import Part
from shared.places.models import Locale

_WRITTEN_FIRST = """
noodles ko ok 달그릇국수는 서울특별시 성동구 달그릇길 12에 있는 음식점입니다.
noodles ko ok 달그릇국수는 성동구에 위치한 식당입니다.
noodles ko ok 달그릇국수, 서울 성동구 음식점
noodles ko ok 달그릇국수 | 서울특별시 성동구 음식점
noodles ko ok 바지락칼국수는 11,000원입니다.
noodles ko ok 바지락칼국수는 1만 1천원입니다.
noodles ko ok 바지락칼국수는 만 천 원입니다.
noodles ko ok 바지락칼국수 11,000원, 비빔국수 9,500원, 물만두 7,000원에 판매합니다.
noodles ko ok 메뉴로는 바지락칼국수와 비빔국수, 원조국밥이 있습니다.
noodles ko ok 원조국밥은 10,000원입니다.
noodles ko ok 콩국수 가격은 매장에 문의해 주세요.
noodles ko ok 메뉴는 모두 5가지입니다.
noodles ko ok 다섯 가지 메뉴를 판매합니다.
noodles ko ok 가격대는 7,000원부터 11,000원까지입니다.
noodles ko ok 가격은 7,000원에서 11,000원 사이입니다.
noodles ko ok 화요일부터 금요일까지는 11:00부터 21:00까지 영업합니다.
noodles ko ok 토요일과 일요일에는 오전 11시부터 오후 10시까지 문을 엽니다.
noodles ko ok 주말에는 11:00부터 22:00까지 영업합니다.
noodles ko ok 월요일은 쉽니다.
noodles ko ok 매주 월요일은 정기휴무입니다.
noodles ko ok 월요일은 휴무이며, 화요일부터 금요일까지 11:00부터 21:00까지 영업합니다.
noodles ko ok 브레이크타임은 15:00부터 17:00까지입니다.
noodles ko ok 브레이크타임은 오후 3시부터 5시까지입니다.
noodles ko ok 전화번호는 02-555-0142입니다.
noodles ko ok 문의는 02-555-0142로 전화해 주세요.
noodles ko ok 매장 이용에 대한 문의는 전화로 하실 수 있습니다.
noodles ko ok 주차할 수 있습니다.
noodles ko ok 주차와 포장이 가능하며 와이파이를 이용할 수 있습니다.
noodles ko ok 주차가 가능한가요?
noodles ko ok 네, 가능합니다.
noodles ko ok 포장 주문이 가능합니다.
noodles ko ok 영업시간은 어떻게 되나요?
noodles ko ok 달그릇국수는 어디에 있나요?
noodles ko/question ok 쉬는 날은 언제인가요?
noodles ko ok 어떤 메뉴가 있나요?
noodles ko ok 전화번호는 무엇인가요?
noodles ko ok 메뉴와 가격
noodles ko/heading ok 영업시간과 휴무일
noodles ko ok 오시는 길
noodles ko ok 달그릇국수 소개
noodles ko ok 매일 아침 반죽한 생면으로 칼국수를 끓이는 작은 국숫집입니다.
noodles ko ok 매일 아침 반죽한 생면으로 칼국수를 끓입니다.
noodles ko ok 생면으로 칼국수를 끓이는 국숫집입니다.
noodles ko ok 성수역 3번 출구에서 걸어서 5분
noodles ko ok 성수역 3번 출구에서 걸어서 5분 거리에 있습니다.
noodles ko ok 1998년에 개업한 음식점입니다.
noodles ko ok 지번 주소는 서울특별시 성동구 성수동2가 9999-12입니다.
noodles ko ok 국수와 만두를 파는 음식점입니다.
noodles ko ok 월요일을 제외하고 매일 영업합니다.
noodles ko ok 영문 상호는 Dalgeureut Noodles입니다.
noodles en ok Dalgeureut Noodles is a restaurant at 달그릇길 12, 성동구, 서울특별시.
noodles en ok Dalgeureut Noodles (달그릇국수) is a restaurant in Seongdong-gu, Seoul.
noodles en ok Dalgeureut Noodles | Restaurant, Seoul
noodles en ok 바지락칼국수 costs ₩11,000.
noodles en ok The menu includes 바지락칼국수 for ₩11,000 and 비빔국수 for ₩9,500.
noodles en ok Prices range from ₩7,000 to ₩11,000.
noodles en ok The menu has five items.
noodles en ok Open Tuesday to Friday from 11:00 to 21:00.
noodles en ok On Saturday and Sunday it is open from 11 am to 10 p.m.
noodles en ok It is open from 11:00 to 22:00 on weekends.
noodles en ok Closed on Mondays.
noodles en ok It is closed on Monday and open Tuesday to Friday from 11:00 to 21:00.
noodles en ok There is a break from 15:00 to 17:00.
noodles en ok The telephone number is 02-555-0142.
noodles en ok Please call 02-555-0142 with any questions.
noodles en ok Call +82 2-555-0142.
noodles en ok Parking, takeout and Wi-Fi are available.
noodles en ok Yes, parking is available.
noodles en ok Is there parking?
noodles en ok What are the opening hours?
noodles en ok Where is Dalgeureut Noodles located?
noodles en ok How much is 비빔국수?
noodles en ok Please ask for the price of 콩국수.
noodles en ok The restaurant serves noodles and dumplings.
noodles en ok Menu and prices
noodles en ok How to find us
noodles en ok It is open every day except Monday.
noodles en ok The lot address is 서울특별시 성동구 성수동2가 9999-12.
cafe ko ok Café ON은 부산광역시 해운대구 파도로 77에 있는 카페입니다.
cafe ko ok 반려동물과 함께 이용할 수 있습니다.
cafe ko ok 월요일부터 수요일까지 08:00부터 20:00까지 영업합니다.
cafe ko ok 월·화·수요일에 문을 엽니다.
cafe en ok Café ON is a café in Haeundae-gu, Busan.
cafe en ok Pets are allowed.
cafe en ok Open Monday to Wednesday, 08:00 to 20:00.
cafe en ok The café is at 파도로 77.
hair ko ok 은하미용실은 고양시 일산동구에 있는 미용실입니다.
hair ko ok 커트 20,000원, 펌 80,000원, 염색 70,000원입니다.
hair ko ok 매월 둘째·넷째 화요일은 쉽니다.
hair ko ok 일요일과 공휴일은 휴무입니다.
hair ko ok 예약할 수 있으며 카드 결제가 가능합니다.
hair ko ok 예약은 전화로 문의해 주세요.
hair en ok The salon is closed on Sundays and public holidays.
hair en ok Closed every second and fourth Tuesday of the month.
hair en ok 커트 is ₩20,000 and 펌 is ₩80,000.
hair en ok Reservations are possible and card payment is accepted.
hair en ok It is a hair salon in Goyang-si.
shop ko ok 편의점 51은 제주특별자치도 서귀포시 바람길 3에 있는 편의점입니다.
shop ko ok 매일 24시간 영업합니다.
shop ko ok 공휴일에도 영업합니다.
shop en ok 편의점 51 is open 24 hours every day.
shop en ok It is a convenience store in Seogwipo-si, Jeju.
bare ko ok 한빛세탁은 세탁소입니다.
bare ko ok 한빛세탁의 전화번호는 042-255-0001입니다.
bare en ok 한빛세탁 is a laundry.
bare en ok You can reach 한빛세탁 at 042-255-0001.
noodles ko price 바지락칼국수는 12,000원입니다.
noodles ko price 바지락칼국수는 1만 2천원입니다.
noodles ko price 비빔국수는 7,000원입니다.
noodles ko price 물만두와 비빔국수는 9,500원입니다.
noodles ko price 콩국수는 9,500원입니다.
noodles ko price 모든 메뉴가 만 원 이하입니다.
noodles ko price 바지락칼국수는 구천 원입니다.
noodles ko price 가격은 5,000원부터 11,000원까지입니다.
noodles ko number 1987년에 문을 열었습니다.
noodles ko number 삼십 년 동안 국수를 끓였습니다.
noodles ko number 30년 전통의 국숫집입니다.
noodles ko number 세 가지 메뉴를 판매합니다.
noodles ko number 메뉴는 12가지입니다.
noodles ko number 손님의 98.5%가 다시 옵니다.
noodles ko number 하루 백 그릇만 판매합니다.
noodles ko number 좌석은 40석입니다.
noodles ko number 성수역 3번 출구에서 걸어서 3분
noodles ko number 2층에 있습니다.
noodles ko number １９８７년에 개업한 음식점입니다.
noodles ko time 오후 11시까지 영업합니다.
noodles ko time 라스트오더는 20:30입니다.
noodles ko time 아침 7시에 문을 엽니다.
noodles ko hours 월요일에도 영업합니다.
noodles ko hours 일요일은 휴무입니다.
noodles ko hours 매일 11:00부터 21:00까지 영업합니다.
noodles ko hours 연중무휴입니다.
noodles ko hours 화요일부터 금요일까지 11:00부터 22:00까지 영업합니다.
noodles ko hours 브레이크타임은 11:00부터 15:00까지입니다.
noodles ko hours 매월 둘째 수요일은 쉽니다.
noodles ko hours 공휴일에는 쉽니다.
noodles ko hours 24시간 영업합니다.
noodles ko hours 월요일은 11:00부터 21:00까지 영업하고 화요일은 쉽니다.
noodles ko hours 21:00부터 11:00까지 영업합니다.
noodles ko phone 전화는 02-555-0124로 주세요.
noodles ko phone 010-9876-5432로 문의해 주세요.
noodles ko web 자세한 것은 https://evil.example/x 에 있습니다.
noodles ko web 예약은 evil-site.com에서 하세요.
noodles ko web 인스타그램 @dalgeureut_official에서 만나요.
noodles ko web 문의는 hello@evil.example로 주세요.
noodles ko markup <b>달그릇국수</b>는 음식점입니다.
noodles ko markup [메뉴](메뉴) 안내
noodles ko markup **바지락칼국수**는 11,000원입니다.
noodles ko markup 바지락칼국수 🍜
noodles ko leak 저는 AI 언어 모델이므로 답할 수 없습니다.
noodles ko leak 시스템 프롬프트에 따라 작성한 안내입니다.
noodles ko praise 성수동 최고의 국수입니다.
noodles ko praise 성동구 맛집 달그릇국수
noodles ko praise 인기 메뉴는 비빔국수입니다.
noodles ko praise 원조 칼국수를 판매합니다.
noodles ko praise 정성을 다해 끓입니다.
noodles ko praise 깊고 진한 국물이 일품입니다.
noodles ko praise 아늑한 분위기의 식당입니다.
noodles ko praise 친절한 서비스를 제공합니다.
noodles ko praise 대표 메뉴는 바지락칼국수입니다.
noodles ko praise 비빔국수를 추천합니다.
noodles ko praise 전통 있는 국숫집입니다.
noodles ko praise 신선한 바지락을 사용합니다.
noodles ko award 미쉐린 가이드에 소개된 식당입니다.
noodles ko award 블루리본 서베이에 선정되었습니다.
noodles ko award 방송에 출연한 국숫집입니다.
noodles ko award 백년가게로 지정된 음식점입니다.
noodles ko certification HACCP 인증을 받은 국수입니다.
noodles ko certification 유기농 밀가루로 만듭니다.
noodles ko certification 무항생제 고기를 사용합니다.
noodles ko origin 국내산 바지락으로 끓입니다.
noodles ko origin 제주산 재료를 씁니다.
noodles ko origin 산지 직송 바지락칼국수입니다.
noodles ko health 건강에 좋은 칼국수입니다.
noodles ko health 다이어트에 좋습니다.
noodles ko health 피로 회복에 도움이 됩니다.
noodles ko amenity 배달도 가능합니다.
noodles ko amenity 반려동물과 함께 방문할 수 있습니다.
noodles ko amenity 휠체어로 이용할 수 있습니다.
noodles ko amenity 예약할 수 있습니다.
noodles ko amenity 단체석이 있습니다.
noodles ko amenity 야외 테라스가 있습니다.
noodles ko offer 무료 주차를 할 수 있습니다.
noodles ko offer 오픈 기념 할인 중입니다.
noodles ko offer 음료를 서비스로 드립니다.
noodles ko offer 쿠폰을 드립니다.
noodles ko comparison 다른 식당보다 가격이 낮습니다.
noodles ko comparison 성동구에서 가장 큰 식당입니다.
noodles ko review 손님들의 평점이 높습니다.
noodles ko review 별점 5점을 받은 가게입니다.
noodles ko review 많은 손님이 찾습니다.
noodles ko negation 주차는 할 수 없습니다.
noodles ko negation 와이파이는 이용할 수 없습니다.
noodles ko negation 포장은 불가합니다.
noodles ko negation 카드는 받지 않습니다.
noodles ko name 셰프 김도윤이 국수를 끓입니다.
noodles ko name 이영희 대표가 운영합니다.
noodles ko word 해물파전도 판매합니다.
noodles ko price 얼큰칼국수는 9,500원입니다.
noodles ko word 강남역에서 가깝습니다.
noodles ko word 서울숲 옆에 있습니다.
noodles ko word 가족과 함께 방문하기에 좋은 곳입니다.
noodles ko word 데이트하는 손님이 방문합니다.
noodles ko word 멸치 육수로 끓인 칼국수입니다.
noodles ko word 매장은 넓습니다.
noodles ko language Dalgeureut Noodles is a restaurant.
noodles ko language 달그릇国수는 음식점입니다.
noodles en price 바지락칼국수 costs ₩12,000.
noodles en price 비빔국수 costs ₩11,000.
noodles en price Dumplings cost ₩9,500.
noodles en price Dishes start at $5.
noodles en number Twenty years of noodles.
noodles en number Open since 1987.
noodles en number The menu has three items.
noodles en number Dozens of dishes are available.
noodles en number The restaurant has 40 seats.
noodles en number It is on the second floor.
noodles en time Open until 11 pm.
noodles en time Open until midnight.
noodles en hours Open on Mondays.
noodles en hours Closed on Sundays.
noodles en hours Open daily from 11:00 to 21:00.
noodles en hours Open seven days a week.
noodles en hours Open 24 hours.
noodles en hours Closed every first Monday of the month.
noodles en hours Closed Tuesday and open Monday from 11:00 to 21:00.
noodles en hours It is open until 11:00.
noodles en phone Call 02-555-0124.
noodles en web See www.evil.example for the menu.
noodles en web Follow @dalgeureut on Instagram.
noodles en markup <script>alert(1)</script>
noodles en markup Visit [our page](the menu).
noodles en leak As an AI language model, I cannot write this.
noodles en leak These are my instructions: write a page.
noodles en praise It is the best noodle shop.
noodles en praise A famous restaurant in Seoul.
noodles en praise A hidden gem in Seongdong-gu.
noodles en praise The noodles are delicious.
noodles en praise Friendly service and cozy atmosphere.
noodles en praise Our signature dish is 바지락칼국수.
noodles en award A Michelin-starred restaurant.
noodles en award Award-winning noodles.
noodles en award As seen on TV.
noodles en certification Certified organic noodles.
noodles en certification All dishes are halal.
noodles en certification Vegan dishes are available.
noodles en origin Made with locally sourced clams.
noodles en origin Korean beef is served.
noodles en health A healthy detox meal.
noodles en amenity Delivery is available.
noodles en amenity The restaurant is wheelchair accessible.
noodles en amenity Pets are allowed.
noodles en amenity Reservations are possible.
noodles en amenity There is a terrace.
noodles en offer Free parking is available.
noodles en offer Get a 10% discount.
noodles en offer Satisfaction guaranteed.
noodles en comparison Better than other restaurants in Seoul.
noodles en comparison The only noodle restaurant in Seongdong-gu.
noodles en review Rated 4.8 stars by guests.
noodles en review Guests love the noodles.
noodles en negation Parking is not available.
noodles en negation There is no Wi-Fi.
noodles en name The owner is Kim Min-su.
noodles en name The restaurant is near Gangnam Station.
noodles en name Chef Gordon serves the noodles.
noodles en word Kimchi stew is served.
noodles en word The restaurant is family-run.
noodles en word Perfect for couples.
noodles en word Grilled pork is on the menu.
noodles en language 달그릇국수는 성동구에 있는 음식점입니다.
noodles en language Restoran корейский in Seoul.
cafe ko hours 목요일에도 영업합니다.
cafe ko hours 일요일은 쉽니다.
cafe ko word 바다가 보이는 카페입니다.
cafe ko amenity 와이파이를 이용할 수 있습니다.
cafe ko word 커피와 케이크를 판매합니다.
cafe en hours Open from Monday to Friday, 08:00 to 20:00.
cafe en word The café overlooks the sea.
cafe en amenity Free Wi-Fi is available.
hair ko hours 둘째 화요일에는 쉽니다.
hair ko hours 일요일에도 영업합니다.
hair ko price 펌은 70,000원입니다.
hair ko word 디자이너가 상담합니다.
hair ko name 원장 박수진이 운영합니다.
hair en hours Closed on Mondays.
hair en word Stylists speak English.
shop ko hours 일요일은 쉽니다.
shop ko word 택배를 보낼 수 있습니다.
shop en hours Closed on public holidays.
bare ko hours 매일 영업합니다.
bare ko time 09:00부터 영업합니다.
bare ko word 운동화를 세탁합니다.
bare en word Shoes are cleaned.
bare en amenity Delivery is possible.
"""

# Written after the check was made for the first list, and before it was run on these.
_WRITTEN_AFTER = """
noodles ko bad 비빔국수는 바지락칼국수와 같은 가격입니다.
noodles ko bad 모두 같은 가격입니다.
noodles ko bad 물만두는 콩국수와 가격이 같습니다.
noodles ko word 비빔국수는 바지락칼국수와 함께 드시면 됩니다.
noodles ko offer 달그릇국수에서는 주문하시면 비빔국수를 드립니다.
noodles ko amenity 주문하시면 찾아가 드립니다.
noodles ko review 찾는 분이 있는 곳입니다.
noodles ko bad 달그릇국수는 서울을 이르는 이름입니다.
noodles ko ok 영업시간은 다음과 같습니다.
noodles en word Order a 비빔국수 and get a 바지락칼국수.
noodles en word They go for 바지락칼국수 and find 비빔국수 included.
noodles en offer Each order includes 비빔국수.
noodles en offer Ask and you can have it.
noodles en offer Visit us and we provide a meal.
noodles ko ok 서울 성동구에 자리한 달그릇국수는 국수를 판매하는 음식점입니다.
noodles ko ok 달그릇국수는 서울특별시 성동구 달그릇길 12에서 운영 중인 식당입니다.
noodles ko ok 매장 주소는 서울특별시 성동구 달그릇길 12입니다.
noodles ko ok 방문 전 영업시간을 확인해 주세요.
noodles ko ok 바지락칼국수는 11,000원, 비빔국수는 9,500원에 드실 수 있습니다.
noodles ko ok 물만두는 7,000원에 주문할 수 있습니다.
noodles ko ok 콩국수의 가격은 문의가 필요합니다.
noodles ko ok 화요일부터 금요일까지는 오전 11시에 문을 열어 오후 9시에 닫습니다.
noodles ko ok 주말 영업시간은 11:00~22:00입니다.
noodles ko ok 평일(화~금)은 11:00~21:00에 영업합니다.
noodles ko ok 월요일은 정기 휴무일입니다.
noodles ko ok 매주 월요일에 쉽니다.
noodles ko ok 영업일 중 15:00부터 17:00까지는 브레이크타임입니다.
noodles ko ok 전화 문의는 02-555-0142로 하시면 됩니다.
noodles ko ok 궁금한 점은 02-555-0142로 문의해 주시기 바랍니다.
noodles ko ok 주차 공간이 마련되어 있으며 포장도 가능합니다.
noodles ko ok 매장에서 와이파이를 사용할 수 있습니다.
noodles ko ok 네, 매장에 주차할 수 있습니다.
noodles ko ok 네, 포장이 가능합니다.
noodles ko/question ok 주차할 수 있나요?
noodles ko/question ok 바지락칼국수 가격은 얼마인가요?
noodles ko/question ok 브레이크타임이 있나요?
noodles ko/question ok 정기휴무일은 언제인가요?
noodles ko/question ok 포장 주문도 되나요?
noodles ko ok 성수역 3번 출구에서 걸어서 5분이면 도착합니다.
noodles ko/heading ok 메뉴 및 가격 안내
noodles ko/heading ok 위치와 연락처
noodles ko/heading ok 방문 안내
noodles en ok Dalgeureut Noodles is a noodle restaurant located at 달그릇길 12 in Seongdong-gu, Seoul.
noodles en ok You can find Dalgeureut Noodles at 12 Dalgeureut-gil, Seongdong-gu.
noodles en ok The menu includes 바지락칼국수 (₩11,000), 비빔국수 (₩9,500), 원조국밥 (₩10,000) and 물만두 (₩7,000).
noodles en ok 물만두 is priced at ₩7,000.
noodles en ok Opening hours are 11:00 to 21:00 from Tuesday to Friday.
noodles en ok On Saturdays and Sundays, opening hours are 11:00 to 22:00.
noodles en ok The restaurant is closed on Mondays.
noodles en ok It takes a break from 15:00 to 17:00.
noodles en ok Break time is from 15:00 to 17:00.
noodles en ok Guests can use the parking and Wi-Fi.
noodles en ok Takeout orders are possible.
noodles en ok You can call the restaurant at 02-555-0142.
noodles en/question ok What is the phone number of Dalgeureut Noodles?
noodles en/question ok Does Dalgeureut Noodles offer takeout?
noodles en/question ok Is Wi-Fi available?
noodles en/question ok What dishes are on the menu?
noodles en/question ok Which day is it closed?
noodles en/heading ok Location and contact
noodles en/heading ok Opening hours
cafe ko ok 부산 해운대구 파도로 77에 위치한 카페 Café ON입니다.
cafe ko ok 반려동물 동반이 가능한 카페입니다.
cafe en ok Café ON is located at 파도로 77, Haeundae-gu, Busan.
cafe en ok You may bring your pet.
cafe en ok The phone number is 051-700-1234.
hair ko ok 은하미용실에서는 커트와 펌, 염색을 하실 수 있습니다.
hair ko ok 월요일부터 토요일까지 10:00부터 20:00까지 영업하며 일요일은 휴무입니다.
hair ko ok 매월 둘째, 넷째 화요일과 공휴일은 쉽니다.
hair ko ok 카드로 결제하실 수 있습니다.
hair en ok The salon offers cuts, perms and colouring.
hair en ok It opens at 10:00 and closes at 20:00 from Monday to Saturday.
hair en ok Reservations can be made by phone.
shop ko ok 연중무휴 24시간 운영합니다.
shop en ok It is open 24 hours a day, seven days a week.
clinic ko ok 하얀이치과의원은 대전광역시 유성구 온천로 10에 있는 치과입니다.
clinic ko ok 평일에는 09:30부터 18:30까지 진료합니다.
clinic ko ok 점심시간은 13:00부터 14:00까지입니다.
clinic ko ok 토요일은 13:00까지 진료합니다.
clinic ko ok 스케일링과 임플란트를 진료합니다.
clinic en ok The dental clinic is open from 09:30 to 18:30 on weekdays.
clinic en ok On Saturday it is open until 13:00.
house ko ok 체크인은 15:00, 체크아웃은 11:00입니다.
house ko ok 객실은 4개입니다.
house en ok Check-in is at 15:00.
noodles ko bad 성수동에서 사랑받는 국숫집입니다.
noodles ko bad 반죽부터 육수까지 매일 매장에서 만듭니다.
noodles ko bad 점심시간에는 줄이 깁니다.
noodles ko bad 국물이 시원합니다.
noodles ko bad 바지락칼국수는 2인분부터 주문할 수 있습니다.
noodles ko bad 곱빼기는 1,000원 추가입니다.
noodles ko bad 김치는 직접 담급니다.
noodles ko bad 신용카드로 결제할 수 있습니다.
noodles ko bad 아이와 함께 방문하기 좋습니다.
noodles ko bad 주차는 2시간까지 가능합니다.
noodles ko bad 주차장은 건물 뒤에 있습니다.
noodles ko bad 단체 손님도 이용할 수 있습니다.
noodles ko bad 20명까지 앉을 수 있습니다.
noodles ko bad 화요일은 쉽니다.
noodles ko bad 설날과 추석에는 쉽니다.
noodles ko bad 평일에는 11:00부터 21:00까지 영업합니다.
noodles ko bad 오전 10시부터 영업합니다.
noodles ko bad 토요일은 11:00부터 21:00까지 영업합니다.
noodles ko bad 브레이크타임은 14:30부터 16:00까지입니다.
noodles ko bad 콩국수는 여름에 판매합니다.
noodles ko bad 비빔국수는 매콤합니다.
noodles ko bad 물만두 8개에 7,000원입니다.
noodles ko bad 원조국밥은 9,500원, 비빔국수는 10,000원입니다.
noodles ko bad 2대째 운영하는 국숫집입니다.
noodles ko bad 1988년에 개업했습니다.
noodles ko bad 성동구청 맞은편에 있습니다.
noodles ko bad 뚝섬역에서도 가깝습니다.
noodles ko bad 서울특별시 강남구 달그릇길 12에 있습니다.
noodles ko bad 달그릇길 21에 있습니다.
noodles ko bad 부산에도 매장이 있습니다.
noodles ko bad 세계 각국의 손님이 방문합니다.
noodles ko bad 누구나 즐길 수 있는 가격입니다.
noodles ko bad 저희 가게를 방문해 주셔서 감사합니다.
noodles ko bad 영업을 종료했습니다.
noodles ko bad 메뉴는 세 가지뿐입니다.
noodles ko bad 모든 국수는 11,000원입니다.
noodles ko bad 아메리카노도 판매합니다.
noodles ko bad 돈까스는 9,500원입니다.
noodles ko bad 채식 메뉴가 있습니다.
noodles ko bad 술은 팔지 않습니다.
noodles en bad The broth is simmered for hours.
noodles en bad Noodles are made by hand each morning.
noodles en bad A neighborhood staple.
noodles en bad It opened in 1998 and expanded in 2010.
noodles en bad The restaurant seats forty.
noodles en bad Located a short walk from Seongsu Station.
noodles en bad Five minutes from Ttukseom Station.
noodles en bad Located in Gangnam-gu, Seoul.
noodles en bad At 21 Dalgeureut-gil.
noodles en bad Open until 22:00 on Friday.
noodles en bad Open Monday to Sunday.
noodles en bad Last orders are taken at 20:30.
noodles en bad Closed on public holidays.
noodles en bad Open late.
noodles en bad Credit cards are accepted.
noodles en bad Two hours of parking is included.
noodles en bad Vegetarian noodles are on the menu.
noodles en bad 원조국밥 is ₩9,500 and 비빔국수 is ₩10,000.
noodles en bad All dishes cost ₩11,000.
noodles en bad Prices start from ₩5,000.
noodles en bad 바지락칼국수 is made with clams from Jeju.
noodles en bad 물만두 is filled with pork.
noodles en bad Run by the Kim family.
noodles en bad Our team speaks English.
noodles en bad Groups are welcome.
noodles en bad Children can visit.
noodles en bad Visited by thousands of guests.
noodles en bad An honest place for noodles.
noodles en bad We also have a shop in Busan.
noodles en bad Thank you for visiting.
noodles en bad It is now under new management.
noodles en bad Tripadvisor lists the restaurant.
cafe ko bad 금요일에는 08:00부터 20:00까지 영업합니다.
cafe ko bad 해운대 해수욕장 근처에 있습니다.
cafe ko bad 강아지 간식을 제공합니다.
cafe en bad Large dogs are allowed.
cafe en bad Coffee beans are roasted here.
hair ko bad 남성 커트 전문입니다.
hair ko bad 첫째 화요일은 쉽니다.
hair ko bad 예약 손님을 먼저 안내합니다.
hair ko bad 커트는 15,000원부터입니다.
hair en bad Walk-ins are accepted.
hair en bad Open on public holidays.
hair en bad The salon closes at 19:00.
shop ko bad 현금 인출기가 있습니다.
shop en bad Closed on Sundays.
clinic ko bad 야간 진료를 합니다.
clinic ko bad 통증 걱정을 덜어 드립니다.
clinic ko bad 서울대 출신 의료진이 진료합니다.
clinic ko bad 교정도 진료합니다.
clinic ko bad 임플란트는 99만원입니다.
clinic en bad Painless treatment is provided.
clinic en bad Open on Sunday.
house ko bad 바다가 보이는 객실입니다.
house ko bad 조식을 제공합니다.
house ko bad 체크인은 14:00입니다.
house ko bad 객실은 10개입니다.
house en bad Breakfast is included.
house en bad Free cancellation.
bare ko bad 당일 세탁이 가능합니다.
bare ko bad 수거와 배달을 합니다.
bare en bad Open daily.
bare en bad Suits and shirts are cleaned.
"""
# True sentences, written last. Nine of the 46 were found at first, four still are.
_WRITTEN_LAST = """
noodles ko ok 달그릇국수는 바지락칼국수, 비빔국수, 물만두 등을 판매합니다.
noodles ko ok 서울특별시 성동구 달그릇길 12에서 달그릇국수를 만나실 수 있습니다.
noodles ko ok 매일 아침 반죽한 생면을 사용합니다.
noodles ko ok 성수역 3번 출구에서 걸어서 5분 거리입니다.
noodles ko ok 1998년에 개업하여 운영하고 있습니다.
noodles ko ok 바지락칼국수의 가격은 11,000원입니다.
noodles ko ok 비빔국수 9,500원, 원조국밥 10,000원, 물만두 7,000원이며 콩국수 가격은 문의해 주세요.
noodles ko ok 주말(토·일)에는 11:00부터 22:00까지 영업합니다.
noodles ko ok 월요일은 정기휴무이니 방문 시 참고해 주세요.
noodles ko ok 15:00~17:00은 브레이크타임입니다.
noodles ko ok 차량을 이용하시는 분은 주차할 수 있습니다.
noodles ko ok 음식은 포장할 수 있습니다.
noodles ko ok 전화번호는 02-555-0142이며, 방문 전 문의하실 수 있습니다.
noodles ko/question ok 달그릇국수의 위치는 어디인가요?
noodles ko/question ok 몇 시까지 영업하나요?
noodles ko/question ok 와이파이를 이용할 수 있나요?
noodles ko/question ok 가장 가까운 역은 어디인가요?
noodles en ok Dalgeureut Noodles, a restaurant in Seongdong-gu, Seoul
noodles en ok The restaurant is located at 달그릇길 12, Seongdong-gu, Seoul.
noodles en ok It opened in 1998.
noodles en ok Menu items include 바지락칼국수 at ₩11,000, 비빔국수 at ₩9,500, and 물만두 at ₩7,000.
noodles en ok For the price of 콩국수, please ask the restaurant.
noodles en ok Hours on Tuesday through Friday are 11:00 to 21:00.
noodles en ok The restaurant closes for a break from 15:00 to 17:00.
noodles en ok Mondays are closed.
noodles en ok Parking and Wi-Fi are provided, and takeout is available.
noodles en ok You can contact Dalgeureut Noodles by phone at 02-555-0142.
noodles en/question ok How can I contact the restaurant?
noodles en/question ok What time does it open?
noodles en/question ok How much does 바지락칼국수 cost?
noodles en/question ok Is takeout possible?
noodles en ok Yes, it offers takeout.
hair ko ok 커트는 20,000원이고 펌은 80,000원입니다.
hair ko ok 예약은 031-900-5678로 해 주시면 됩니다.
hair ko ok 일요일에는 쉽니다.
hair en ok 은하미용실 is a hair salon in Ilsandong-gu, Goyang-si.
hair en ok A haircut is ₩20,000.
hair en ok You can pay by card.
clinic ko ok 일요일은 휴진합니다.
clinic ko ok 토요일 진료시간은 09:30부터 13:00까지입니다.
clinic en ok The clinic is closed on Sundays.
clinic en ok It is closed for lunch from 13:00 to 14:00 on weekdays.
cafe ko ok 카페에서 반려동물과 함께하실 수 있습니다.
cafe en ok The café is open Monday through Wednesday from 08:00 to 20:00.
house ko ok 주차와 와이파이를 이용하실 수 있습니다.
house en ok It is a guesthouse in Gangneung-si.
"""

# Made of words that may be said and of the facts' own, put together untruly; and claims in disguise.
_RECOMBINED = """
noodles ko bad 아침 식사를 제공합니다.
noodles ko bad 비빔국수를 주문하면 물만두를 드립니다.
noodles ko bad 비빔국수에는 물만두가 포함됩니다.
noodles ko bad 토요일에는 비빔국수를 판매합니다.
noodles ko bad 포장은 11:00부터 21:00까지 가능합니다.
noodles ko bad 포장 가격은 7,000원부터입니다.
noodles ko bad 주차는 7,000원부터 11,000원까지입니다.
noodles ko bad 전화로 주문할 수 있습니다.
noodles ko bad 영문 메뉴판이 있습니다.
noodles ko bad 메뉴는 웹사이트에서 확인할 수 있습니다.
noodles ko bad 영업을 마감합니다.
noodles ko bad 가게 문을 닫습니다.
noodles ko bad 전화번호는 123-45-67891입니다.
noodles ko bad 서울 강남구에도 매장이 있습니다.
noodles ko bad 성수역 5번 출구에 있습니다.
noodles ko bad 성동구역에 있습니다.
noodles ko bad 서울대 교수가 운영합니다.
noodles ko bad 칼국수를 끓인 분은 명인입니다.
noodles ko bad 이 가게는 호텔입니다.
noodles ko bad 왕물만두를 판매합니다.
noodles ko bad 물만두튀김을 판매합니다.
noodles ko bad 최 고 의 국수입니다.
noodles ko bad 최\u200b고의 국수입니다.
noodles ko bad ㅊㅚ고의 국수입니다.
noodles ko bad 1위 국수 가게입니다.
noodles ko bad 국수 가게 중 으뜸가는 곳입니다.
noodles ko bad 화요일부터 일요일까지 11:00부터 21:00까지 영업합니다.
noodles ko bad 토요일은 11:00부터, 일요일은 12:00부터 영업합니다.
noodles ko bad 월요일과 화요일은 쉽니다.
noodles ko bad 매주 일요일 휴무
noodles ko bad 11:00에 닫습니다.
noodles ko bad 다음 날 22:00까지 영업합니다.
noodles ko bad 브레이크타임에도 영업합니다.
noodles ko bad 바지락칼국수와 비빔국수는 각각 9,500원, 11,000원입니다.
noodles ko bad 비빔국수 9,500원, 11,000원
noodles ko bad 가격은 9,500원부터 10,000원까지입니다.
noodles ko bad 예약은 전화로 문의해 주세요.
noodles ko bad ARS 1588-0000
noodles ko bad 공일공 일이삼사 오륙칠팔로 전화하세요.
noodles ko bad 국수 삼십 그릇을 판매합니다.
noodles ko bad 십 년 된 가게입니다.
noodles ko bad 국수 장인이 운영합니다.
noodles ko bad 미쉐린 원 스타 가게입니다.
noodles ko bad 원조 국밥 가게입니다.
noodles ko bad evil쩜컴에서 주문하세요.
noodles ko bad evil 닷 com
noodles ko bad 카톡 문의 가능합니다.
noodles ko bad 100% 메밀국수입니다.
noodles ko bad 새벽 배송
noodles ko bad 24시간 주차할 수 있습니다.
noodles en bad The noodles are made in Korea.
noodles en bad The menu is available in English.
noodles en bad Open from January to June.
noodles en bad Used items are sold.
noodles en bad 비빔국수 is served with 물만두.
noodles en bad 비빔국수 comes with 물만두.
noodles en bad Takeout is available from 11:00 to 21:00.
noodles en bad On Saturday you can order 비빔국수.
noodles en bad Takeout costs from ₩7,000.
noodles en bad Orders are taken by phone.
noodles en bad You can order by phone.
noodles en bad Parking is at Seoul Station.
noodles en bad It is in Seoul, Busan and Jeju.
noodles en bad The place to eat in Seoul.
noodles en bad B.e.s.t noodles in Seoul.
noodles en bad Bеst noodles in Seoul.
noodles en bad The bеst noodles.
noodles en bad N0.1 noodles
noodles en bad Number 1 in Seoul.
noodles en bad Voted top restaurant.
noodles en bad It is the place for noodles since 1998.
noodles en bad Open Tuesday to Friday from 11:00 to 22:00.
noodles en bad Open Saturday from 11:00 to 21:00.
noodles en bad Closed Tuesday.
noodles en bad Closed on the first Monday of the month.
noodles en bad Open at 21:00.
noodles en bad Closes at 11:00.
noodles en bad There is a break from 11:00 to 15:00.
noodles en bad The price range is ₩9,500 to ₩10,000.
noodles en bad Call 02 555 0143.
noodles en bad Email hello at evil dot example.
noodles en bad hxxp://evil.example
noodles en bad 비빔국수 ₩9,500 ₩11,000
noodles en bad Soy milk is served.
noodles en bad Fresh noodles every morning.
noodles en bad Doctor Kim is the owner.
noodles en bad Kim Min serves noodles.
noodles en bad Seoul Garden serves noodles.
noodles en bad Wi-Fi costs ₩7,000.
hair ko bad 둘째 수요일은 쉽니다.
hair ko bad 매월 첫째·셋째 화요일은 쉽니다.
hair ko bad 일요일과 월요일, 공휴일은 쉽니다.
hair ko bad 커트는 80,000원, 펌은 20,000원입니다.
hair en bad Closed on Sunday, every first Tuesday of the month, and public holidays.
clinic ko bad 점심시간에도 진료합니다.
clinic ko bad 토요일은 18:30까지 진료합니다.
clinic ko bad 매일 09:30부터 18:30까지 진료합니다.
house ko bad 체크인은 11:00, 체크아웃은 15:00입니다.
house ko bad 15:00부터 영업합니다.
noodles ko bad 서울에서 온 손님이 방문합니다.
noodles ko bad 주차는 달그릇길에서 하세요.
noodles ko bad 메뉴 물만두는 5개입니다.
noodles ko bad 가격은 1원부터입니다.
noodles ko bad 서울대에서 운영합니다.
noodles ko bad 서울길에 있습니다.
noodles ko bad 서울산 국수를 판매합니다.
noodles ko bad 비빔국수집 메뉴입니다.
noodles ko bad 국수가게로 서울시에서 지정한 곳입니다.
noodles ko bad 물만두를 먹고 가는 길입니다만 최고입니다.
noodles en bad Dalgeureut Noodles University serves food.
noodles en bad The restaurant is on Seoul Street.
noodles ko bad 메뉴 가격은 11,000원까지입니다.
noodles ko bad Dalgeureut Noodles is a restaurant in Seoul.
noodles en bad Guests visit from Seoul.
noodles en bad Parking is at 달그릇길 12.
noodles en bad 매일 아침 반죽한 생면으로 칼국수를 끓이는 작은 국숫집입니다.
"""


class Case(NamedTuple):
    """One sentence and what must become of it."""

    place: str
    locale: Locale
    part: Part
    verdict: str
    sentence: str


def cases_of(text: str) -> list[Case]:
    """The cases of a table like the ones here."""
    cases = []
    for line in text.strip().splitlines():
        place, where, verdict, sentence = line.split(" ", 3)
        locale, _, part = where.partition("/")
        cases.append(Case(place, cast(Locale, locale), cast(Part, part or "text"), verdict, sentence))
    return cases


CASES = cases_of(_WRITTEN_FIRST)
AFTER = cases_of(_WRITTEN_AFTER)
LAST = cases_of(_WRITTEN_LAST)
RECOMBINED = cases_of(_RECOMBINED)
